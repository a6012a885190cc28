/**
 * A WebSocket on which both ends prove themselves first. Until then the page sends nothing that it was given. To its
 * user it looks like a WebSocket that takes a little longer to open.
 */

import { dropBond, freshBond, socketIsProved } from "./bonds";
import { device } from "./device";
import { ApiProblem } from "./problem";
import { type Bond, type Bytes, fromText, randomBytes, type SocketChallenge, toText } from "./proof";

/** Close codes of the page's own: the other end is not the server that this browser knows; it cannot be reached. */
export const STRANGER = 4499;
const UNREACHABLE = 1006;
/** The server's: it does not know the bond any more, or the device. */
const BOND_OVER = 4410;
const SIGNED_OUT = 4401;

const PROTOCOL = "abide.proof.v1";

/** How long a socket that is not wanted any more may take to open. */
const OPENING_MS = 2_000;

export interface Closed {
  readonly code: number;
  readonly reason: string;
}

type Heard = { readonly data: unknown } | Closed;

/** How far the two are. */
type Stage =
  | { readonly kind: "beginning" }
  | { readonly kind: "challenged"; readonly challenge: SocketChallenge }
  | { readonly kind: "proved"; readonly over: () => void };

export class ProvedSocket {
  onopen: (() => void) | null = null;
  onmessage: ((message: { readonly data: unknown }) => void) | null = null;
  onclose: ((closed: Closed) => void) | null = null;
  #socket: WebSocket | undefined;
  #stage: Stage = { kind: "beginning" };
  #isLeft = false;
  /** What came while something was being checked, in order. */
  readonly #heard: Heard[] = [];
  #isChecking = false;

  constructor(path: string) {
    this.#begin(path).catch((thrown: unknown) => this.#end(closedBy(thrown)));
  }

  /** Of what was given, so much has not left the browser. */
  get bufferedAmount(): number {
    return this.#socket?.bufferedAmount ?? 0;
  }

  send(data: string | Uint8Array<ArrayBuffer>): void {
    this.#socket?.send(data);
  }

  /** Nothing is heard from it after this. */
  close(): void {
    this.#isLeft = true;
    this.#leaveProof();
    if (this.#socket) letGo(this.#socket);
  }

  async #begin(path: string): Promise<void> {
    const bond = await freshBond();
    if (this.#isLeft) return;
    const url = new URL(path, location.href);
    const target = url.pathname + url.search;
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(url.href, [PROTOCOL]);
    socket.binaryType = "arraybuffer";
    this.#socket = socket;
    socket.onmessage = ({ data }) => this.#hear({ data }, bond, target);
    socket.onclose = ({ code, reason }) => this.#hear({ code, reason }, bond, target);
  }

  #hear(heard: Heard, bond: Bond, target: string): void {
    if (this.#isLeft) return;
    if (this.#stage.kind === "proved" && !this.#isChecking) {
      this.#tell(heard, bond);
      return;
    }
    this.#heard.push(heard);
    if (!this.#isChecking) void this.#check(bond, target);
  }

  /** Takes what was heard, one after the other, since checks take a moment. */
  async #check(bond: Bond, target: string): Promise<void> {
    this.#isChecking = true;
    for (let heard = this.#heard.shift(); heard && !this.#isLeft; heard = this.#heard.shift()) {
      if (this.#stage.kind === "proved" || "code" in heard) {
        this.#tell(heard, bond);
        continue;
      }
      const stage = await this.#next(heard.data, bond, target, this.#stage).catch(() => undefined);
      if (this.#isLeft) {
        if (stage?.kind === "proved") stage.over();
        break;
      }
      if (stage === undefined) {
        this.#socket?.close();
        this.#end({ code: STRANGER, reason: "the server did not prove itself" });
        break;
      }
      this.#stage = stage;
      if (stage.kind === "proved") this.onopen?.();
    }
    this.#isChecking = false;
  }

  /** The stage after a message; none if the message is not the server's. */
  async #next(data: unknown, bond: Bond, target: string, stage: Stage): Promise<Stage | undefined> {
    const message = read(data);
    if (stage.kind === "beginning" && message?.type === "challenge" && message.challenge) {
      const challenge = { target, byServer: message.challenge, byPage: randomBytes() };
      const mac = await bond.socketByPage(challenge);
      const proof = { type: "prove", bond: bond.id, challenge: toText(challenge.byPage), mac };
      if (!this.#isLeft) this.#socket?.send(JSON.stringify(proof));
      return { kind: "challenged", challenge };
    }
    if (stage.kind === "challenged" && message?.type === "proved") {
      const isServer = await bond.isSocketByServer(stage.challenge, message.mac);
      return isServer ? { kind: "proved", over: socketIsProved() } : undefined;
    }
    return undefined;
  }

  #tell(heard: Heard, bond: Bond): void {
    if (!("code" in heard)) {
      this.onmessage?.(heard);
      return;
    }
    // A server that has not proved itself may say so too. The next hello shows whether it is true.
    // And after signing in anew, the device that is signed out may be the one before.
    const isDoubtful =
      heard.code === SIGNED_OUT && (this.#stage.kind !== "proved" || bond.device !== device()?.id);
    if (heard.code === BOND_OVER || isDoubtful) dropBond(bond);
    this.#end(isDoubtful ? { ...heard, code: UNREACHABLE } : heard);
  }

  #end(closed: Closed): void {
    if (this.#isLeft) return;
    this.#isLeft = true;
    this.#leaveProof();
    this.onclose?.(closed);
  }

  #leaveProof(): void {
    if (this.#stage.kind === "proved") this.#stage.over();
  }
}

function read(data: unknown): { type: unknown; challenge?: Bytes; mac?: Bytes } | undefined {
  if (typeof data !== "string") return undefined;
  const message = JSON.parse(data) as Record<string, unknown>;
  const challenge = fromText(message["challenge"]);
  const mac = fromText(message["mac"]);
  return { type: message["type"], ...(challenge?.length === 32 && { challenge }), ...(mac && { mac }) };
}

function closedBy(thrown: unknown): Closed {
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  if (!(thrown instanceof ApiProblem)) return { code: UNREACHABLE, reason };
  if (thrown.code === "stranger") return { code: STRANGER, reason };
  return { code: thrown.code === "unauthenticated" ? SIGNED_OUT : UNREACHABLE, reason };
}

/** Browsers complain of a socket that is closed before it is open: so it may open first, unless that takes too long. */
function letGo(socket: WebSocket): void {
  socket.onmessage = null;
  socket.onclose = null;
  if (socket.readyState !== WebSocket.CONNECTING) {
    socket.close();
    return;
  }
  const timer = setTimeout(() => socket.close(), OPENING_MS);
  socket.onopen = () => {
    clearTimeout(timer);
    socket.close();
  };
}
