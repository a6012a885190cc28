import type { DashboardEvent, InboxItem, Repository, Session, Task, Worker, Worktree } from "../api/client";
import { device, onSignedOut, signedOut } from "../api/device";
import { doubt, onDoubt } from "../api/doubt";
import { ProvedSocket } from "../api/proved-socket";
import { Connection, type Status } from "./connection";
import type { Known } from "./feed";

const NOTHING: Known = {
  epoch: "",
  seq: 0,
  sessions: [],
  tasks: [],
  repositories: [],
  worktrees: [],
  inbox: [],
};

/** What the server knows, always as it was last told; `status` says whether that is still up to date. */
class Dashboard {
  #status = $state<Status>("connecting");
  #since = $state(Date.now());
  #heardAt = Date.now();
  /** Whole new values come in and nothing is changed in place, so it need not be looked into deeply. */
  #known = $state.raw<Known>(NOTHING);
  #loaded = $state(false);
  #workers = $derived(
    new Map(this.#known.sessions.flatMap(({ workers }) => workers).map((each) => [each.id, each])),
  );
  #asking = $derived([...this.#workers.values()].filter(asks));
  readonly #listeners = new Set<(event: DashboardEvent) => void>();
  readonly #connection = new Connection({
    open: (path) => new ProvedSocket(path),
    isSignedIn: () => device() !== undefined,
    onStatus: (status) => this.#become(status),
    onKnown: (known, event) => {
      this.#known = known;
      this.#loaded = true;
      if (event) for (const listener of this.#listeners) listener(event);
    },
    onHeard: () => {
      this.#heardAt = Date.now();
    },
    onRefused: signedOut,
  });

  get status(): Status {
    return this.#status;
  }
  /** When the status began, in ms. */
  get since(): number {
    return this.#since;
  }
  /** When the server last said something, in ms: what is shown was true then. */
  get heardAt(): number {
    return this.#heardAt;
  }
  /** Whether there is anything to show yet; before that, lists are empty because nothing was heard. */
  get loaded(): boolean {
    return this.#loaded;
  }
  get sessions(): readonly Session[] {
    return this.#known.sessions;
  }
  get tasks(): readonly Task[] {
    return this.#known.tasks;
  }
  get repositories(): readonly Repository[] {
    return this.#known.repositories;
  }
  get worktrees(): readonly Worktree[] {
    return this.#known.worktrees;
  }
  get workers(): readonly Worker[] {
    return [...this.#workers.values()];
  }
  /** What waits for a person, the longest wait first; also what a person has set aside. */
  get inbox(): readonly InboxItem[] {
    return this.#known.inbox;
  }
  /** The workers that ask something. */
  get asking(): readonly Worker[] {
    return this.#asking;
  }

  worker(id: string): Worker | undefined {
    return this.#workers.get(id);
  }
  session(id: string): Session | undefined {
    return this.#known.sessions.find((each) => each.id === id);
  }
  task(id: string): Task | undefined {
    return this.#known.tasks.find((each) => each.id === id);
  }
  repository(id: string): Repository | undefined {
    return this.#known.repositories.find((each) => each.id === id);
  }

  /** Hears of every event while the page is connected. After a gap there is only the new state. */
  onEvent(listener: (event: DashboardEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  start(): void {
    this.#connection.start();
  }

  hurry(): void {
    this.#connection.hurry();
  }

  /** Checks whether the server is still there. */
  doubt(): void {
    this.#connection.doubt();
  }

  /** Nothing stays visible in a browser that is not signed in. */
  clear(): void {
    this.#connection.forget();
    this.#known = NOTHING;
    this.#loaded = false;
    this.#become("signedOut");
  }

  #become(status: Status): void {
    if (status === this.#status) return;
    this.#status = status;
    this.#since = Date.now();
    // What cuts off this connection mostly cuts off those of the terminals too.
    if (status === "reconnecting") doubt();
  }
}

function asks(worker: Worker): boolean {
  return worker.state.kind === "live" && worker.activity === "asking";
}

export const dashboard = new Dashboard();

onSignedOut(() => dashboard.clear());
onDoubt(() => dashboard.doubt());
