import { ApiProblem, api, type Prompt, type Schemas, type Worker } from "../api/client";
import { asSentence } from "../api/problem";
import { dashboard } from "../dashboard/dashboard.svelte";
import { fullName } from "../dashboard/names";
import { toast } from "../shell/toasts.svelte";
import { receipt } from "./receipt";

/** Whether a worker takes prompts: an agent that runs. */
export function takesPrompts(worker: Worker): boolean {
  return worker.state.kind === "live" && (worker.type === "agent" || worker.runsAgent != null);
}

const pathOf = (worker: string) => `/api/workers/${encodeURIComponent(worker)}/prompts`;

/** What was written to each worker and not sent yet, with the key under which it will be sent. */
const drafts = new Map<string, { text: string; key: string }>();

/** Prompts that this page has sent: if one is not submitted, the person hears of it in every view. */
const sent = new Set<string>();

dashboard.onEvent((event) => {
  if (event.kind !== "prompt.changed" || !sent.has(event.prompt.id)) return;
  const { id, state, workerId } = event.prompt;
  if (state.kind === "started" || state.kind === "cancelled") sent.delete(id);
  if (state.kind !== "failed" && state.kind !== "unknown") return;
  sent.delete(id);
  const worker = dashboard.worker(workerId);
  const { word } = receipt(state);
  const said = state.kind === "failed" ? `was ${word}` : "may not have arrived";
  toast({
    kind: "error",
    text: `A prompt to ${worker ? fullName(worker) : workerId} ${said}: ${asSentence(state.reason)}`,
  });
});

/** The prompts of a worker. */
export class Prompts {
  readonly worker: string;
  all = $state.raw<readonly Prompt[]>([]);

  constructor(worker: string) {
    this.worker = worker;
  }

  /** Follows what becomes of them. Call the returned function to stop. */
  follow(): () => void {
    return dashboard.onEvent((event) => {
      if (event.kind === "prompt.changed" && event.prompt.workerId === this.worker) this.#put(event.prompt);
      if (event.kind === "prompt.removed") this.all = this.all.filter(({ id }) => id !== event.promptId);
    });
  }

  async load(): Promise<void> {
    this.all = await api.get<Prompt[]>(pathOf(this.worker));
  }

  get draft(): string {
    return drafts.get(this.worker)?.text ?? "";
  }

  keepDraft(text: string): void {
    if (drafts.get(this.worker)?.text !== text) drafts.set(this.worker, { text, key: crypto.randomUUID() });
  }

  /**
   * Sends the draft, to other workers too. It has a key, so that the same text is not sent twice when the person presses
   * again after an answer that was lost. Returns what went wrong for each of the others.
   */
  async send(whenIdle: boolean, others: readonly string[]): Promise<readonly Schemas["SentPrompt"][]> {
    const draft = drafts.get(this.worker);
    if (draft === undefined) return [];
    const body = { text: draft.text, key: draft.key, whenIdle };
    if (others.length === 0) {
      this.#sent(await api.post<Prompt>(pathOf(this.worker), body));
      drafts.delete(this.worker);
      return [];
    }
    const workerIds = [this.worker, ...others];
    const answers = await api.post<Schemas["SentPrompt"][]>("/api/prompts", { ...body, workerIds });
    for (const { prompt } of answers) if (prompt) this.#sent(prompt);
    const own = answers.find(({ workerId }) => workerId === this.worker)?.error;
    if (own) throw new ApiProblem({ code: own.code, message: own.message, status: 409 });
    drafts.delete(this.worker);
    return answers.filter(({ error }) => error);
  }

  async edit({ id }: Prompt, text: string): Promise<void> {
    this.#put(await api.put<Prompt>(`${pathOf(this.worker)}/${id}`, { text }));
  }

  async remove({ id }: Prompt): Promise<void> {
    await api.delete(`${pathOf(this.worker)}/${id}`);
    await this.load();
  }

  async empty(): Promise<void> {
    await api.delete(pathOf(this.worker));
    await this.load();
  }

  #sent(prompt: Prompt): void {
    sent.add(prompt.id);
    if (prompt.workerId === this.worker) this.#put(prompt);
  }

  #put(prompt: Prompt): void {
    const at = this.all.findIndex(({ id }) => id === prompt.id);
    // What the event told already is newer than what the request answers.
    if (at < 0) this.all = [...this.all, prompt];
    else if (Date.parse(this.all[at]?.changedAt ?? "") <= Date.parse(prompt.changedAt))
      this.all = this.all.with(at, prompt);
  }
}
