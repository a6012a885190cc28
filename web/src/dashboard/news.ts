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

/** Compares the new state with the old one, so that nothing is missed when the page was away for a while. */
export class NewsDesk {
  #last: Map<string, Last> | undefined;

  /** The news since the last call. The first call returns none, because the page has just begun to look. */
  take(workers: readonly Worker[]): News[] {
    const before = this.#last;
    this.#last = new Map(workers.map((worker) => [worker.id, lifeOf(worker)]));
    if (before === undefined) return [];
    return workers.flatMap((worker) => this.#about(worker, before.get(worker.id)));
  }

  /** The known state belongs to a person who has signed out. */
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
