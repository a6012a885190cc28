import { type Agent, api } from "../api/client";

/** The agents that the server knows, asked for once a view needs them. */
class Agents {
  #all = $state.raw<readonly Agent[]>([]);
  #isAsked = false;
  readonly names = $derived(new Map(this.#all.map((agent) => [agent.id, agent.name])));

  /** Installed ones first. */
  get all(): readonly Agent[] {
    return this.#all;
  }

  async load(): Promise<void> {
    if (this.#isAsked) return;
    this.#isAsked = true;
    try {
      const all = await api.get<Agent[]>("/api/agents");
      this.#all = all.sort((a, b) => Number(b.installed) - Number(a.installed));
    } catch {
      // Cards show ids in place of names, and the next view asks again.
      this.#isAsked = false;
    }
  }
}

export const agents = new Agents();
