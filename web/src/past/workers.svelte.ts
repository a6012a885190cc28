import { api, type Worker } from "../api/client";
import { dashboard } from "../dashboard/dashboard.svelte";

/** Workers of all times: those of closed sessions are not on the dashboard, but their recordings are kept. */
class Workers {
  #closed = $state.raw<ReadonlyMap<string, Worker>>(new Map());
  #asked = new Set<string>();

  get(id: string): Worker | undefined {
    return dashboard.worker(id) ?? this.#closed.get(id);
  }

  isClosed(id: string): boolean {
    return dashboard.loaded && dashboard.worker(id) === undefined;
  }

  /** Asks for a worker that is not on the dashboard. */
  async find(id: string): Promise<void> {
    if (this.#asked.has(id) || dashboard.worker(id) !== undefined) return;
    this.#asked.add(id);
    try {
      const worker = await api.get<Worker>(`/api/workers/${encodeURIComponent(id)}`);
      this.#closed = new Map(this.#closed).set(id, worker);
    } catch {
      // The page shows its id instead, and asks again the next time.
      this.#asked.delete(id);
    }
  }
}

export const workers = new Workers();
