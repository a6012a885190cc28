/** What is true of one connection only. The next one begins with a new `Connection`. */

export class Connection {
  /** Counts the connections of a tab. */
  readonly number: number;
  /** How many bytes it was given to send. */
  givenBytes = 0;
  /** How much output the host was told to be on the screen. */
  ackedThrough = 0;
  /** Whether its host knows our size. */
  saidSize = false;
  /** The last thing that the host did not do. */
  refusal: { readonly code: string; readonly message: string } | undefined;
  #lastPing = 0;
  #lastPong = 0;

  constructor(number: number) {
    this.number = number;
  }

  /** Whether every Ping has its Pong. */
  get answered(): boolean {
    return this.#lastPong >= this.#lastPing;
  }

  pinged(token: number): void {
    this.#lastPing = token;
  }

  ponged(token: number): void {
    this.#lastPong = token;
  }
}
