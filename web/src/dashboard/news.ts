import type { Worker } from "../api/client";
import { standing } from "./standing";

/** Something that a person who looks elsewhere would want to know. */
export interface News {
  kind: "asking" | "ended";
  worker: Worker;
  title: string;
  text: string;
}

type Last = "asking" | "running" | "over";

/** Compares what is with what was, so that nothing is missed when the page was away for a while. */
export class NewsDesk {
  #last: Map<string, Last> | undefined;

  /** What is new since the last time. The first time, nothing is: it was so before anybody looked. */
  take(workers: readonly Worker[]): News[] {
    const before = this.#last;
    this.#last = new Map(workers.map((worker) => [worker.id, lifeOf(worker)]));
    if (before === undefined) return [];
    return workers.flatMap((worker) => this.#about(worker, before.get(worker.id)));
  }

  /** What was known belongs to somebody who has signed out. */
  forget(): void {
    this.#last = undefined;
  }

  #about(worker: Worker, before: Last | undefined): News[] {
    const now = lifeOf(worker);
    if (now === before) return [];
    if (now === "asking") {
      return [
        { kind: "asking", worker, title: `${worker.name} asks`, text: worker.asking ?? "It waits for you." },
      ];
    }
    if (now === "over" && before !== undefined) {
      const { word, reason } = standing(worker);
      return [{ kind: "ended", worker, title: `${worker.name} ended`, text: reason ?? word }];
    }
    return [];
  }
}

function lifeOf(worker: Worker): Last {
  switch (worker.state.kind) {
    case "exited":
    case "failed":
    case "lost":
      return "over";
    case "live":
      return worker.activity === "asking" ? "asking" : "running";
    default:
      return "running";
  }
}
