import { type ArchivedTask, api, type CreateTask, inWords, type Task, type UpdateTask } from "../api/client";
import { dashboard } from "../dashboard/dashboard.svelte";
import { confirm } from "../shell/dialogs.svelte";
import { toast } from "../shell/toasts.svelte";
import {
  isBeingMade,
  type Plan,
  planCancel,
  planDone,
  planMove,
  planRetry,
  planStart,
  STEP_PATHS,
} from "./moves";
import { type Column, inColumns, positionAt, shownTasks } from "./order";
import { type Wish, type Wishes, withPositions, withWishes } from "./overlay";

/** As long as a wish that was granted is shown without the dashboard saying the same. */
const GRANTED_MS = 2_000;

/** Changes that come together are looked at once. */
const TOGETHER_MS = 120;

const asSentenceStart = (words: string) => words.charAt(0).toUpperCase() + words.slice(1);

/** The tasks as the board shows them, and what can be done with them. */
export class Board {
  /** Of this repository alone. */
  repository = $state<string | undefined>();
  /** With these words in them. */
  words = $state("");
  #wishes = $state.raw<Wishes>([]);
  #positions = $state.raw<ReadonlyMap<string, number>>(new Map());
  /** What is being done with each task: one thing after the other, as they were asked for. */
  readonly #turns = new Map<string, Promise<boolean>>();
  #refreshing: ReturnType<typeof setTimeout> | undefined;

  readonly tasks = $derived(withWishes(withPositions(dashboard.tasks, this.#positions), this.#wishes));
  readonly columns = $derived(
    inColumns(shownTasks(this.tasks, this.repository, this.words), dashboard.repositories),
  );

  /** Follows changes of other clients. Call the returned function to stop. */
  follow(): () => void {
    const stop = dashboard.onEvent((event) => {
      const isMoved =
        event.kind === "task.changed" && event.task.position !== this.#positions.get(event.task.id);
      if (isMoved || event.kind === "task.removed") this.#refreshSoon();
    });
    return () => {
      stop();
      clearTimeout(this.#refreshing);
    };
  }

  task(id: string): Task | undefined {
    return this.tasks.find((task) => task.id === id);
  }

  async create(wanted: CreateTask, start: boolean): Promise<Task | undefined> {
    const task = await this.#tried(() => api.post<Task>("/api/tasks", wanted));
    if (task !== undefined && start) await this.perform(task, planStart(task));
    return task;
  }

  /** Changes the title or description of a task. */
  async update(task: Task, change: UpdateTask): Promise<boolean> {
    return (await this.#tried(() => api.patch<Task>(`/api/tasks/${task.id}`, change))) !== undefined;
  }

  async pin(task: Task): Promise<void> {
    const pinned = !task.pinned;
    await this.#wishing({ id: task.id, pinned }, () => this.update(task, { pinned }));
  }

  start = (task: Task) => this.perform(task, planStart(task));
  retry = (task: Task) => this.perform(task, planRetry(task));
  done = (task: Task) => this.perform(task, planDone(task));

  /** Cancels the start of a task's session. */
  async cancel(task: Task): Promise<void> {
    const plan = planCancel(task);
    if ((await this.perform(task, plan)) && plan.kind === "steps") {
      toast({ kind: "done", text: `The start of “${task.title}” is cancelled. It can be started again.` });
    }
  }

  /** Puts a card at a place in a column. */
  async move(task: Task, column: Column, index: number): Promise<void> {
    const plan = planMove(task, column);
    // The card stays where it is while the person is asked.
    if (!(await this.#isAgreed(task, plan))) return;
    const others = this.columns[column].filter((other) => other.id !== task.id);
    const moved = { ...task, status: column };
    const tasks = this.tasks.map((one) => (one.id === task.id ? moved : one));
    const position = positionAt(tasks, moved, others, index);
    if (plan.kind === "nothing" && position === undefined) return;
    const wish = {
      id: task.id,
      ...(plan.kind === "steps" && { column: plan.column }),
      ...(position !== undefined && { position }),
    };
    await this.#wishing(wish, async () => {
      if (!(await this.#takeSteps(task, plan))) return false;
      return position === undefined || (await this.update(task, { position }));
    });
  }

  /** Moves a card by one place with the keyboard. */
  nudge(task: Task, by: -1 | 1): Promise<void> {
    const cards = this.columns[task.status];
    const index = cards.findIndex((one) => one.id === task.id);
    return this.move(task, task.status, Math.max(0, index + by));
  }

  /** Carries out the plan. If the server refuses, says so and shows the state from before. */
  async perform(task: Task, plan: Plan): Promise<boolean> {
    if (!(await this.#isAgreed(task, plan))) return false;
    if (plan.kind !== "steps") return true;
    return this.#wishing({ id: task.id, column: plan.column }, () => this.#takeSteps(task, plan));
  }

  async #isAgreed(task: Task, plan: Plan): Promise<boolean> {
    if (plan.kind === "refused") toast({ kind: "info", text: plan.why });
    if (plan.kind !== "steps") return plan.kind === "nothing";
    return !plan.endsSession || this.#mayEnd(task, plan.column);
  }

  async #takeSteps(task: Task, plan: Plan): Promise<boolean> {
    for (const step of plan.kind === "steps" ? plan.steps : []) {
      const path = `/api/tasks/${task.id}/${STEP_PATHS[step]}`;
      const reply = await this.#tried(() => api.post<ArchivedTask>(path));
      if (reply === undefined) return false;
      if (reply.keptWorktree) {
        const { path, work } = reply.keptWorktree;
        toast({
          kind: "info",
          text: `abide keeps its worktree, because it holds ${work.join(", ")}: ${path}`,
        });
      }
    }
    return true;
  }

  async remove(task: Task): Promise<boolean> {
    if (task.sessionId) {
      toast({ kind: "info", text: "It has a session. Finish the task first; then it can be deleted." });
      return false;
    }
    const really = await confirm({
      title: "Delete this task?",
      text: `This deletes “${task.title}” and the list of its past sessions. Recordings and worktrees stay.`,
      action: "Delete",
      danger: true,
    });
    if (!really) return false;
    return (await this.#tried(async () => (await api.delete(`/api/tasks/${task.id}`)) ?? true)) !== undefined;
  }

  #mayEnd(task: Task, column: Column): Promise<boolean> {
    const [ends, text] = isBeingMade(task)
      ? ["cancel its start", `“${task.title}” is being started. abide will end the commands of its start.`]
      : ["end its agent", `abide will end the agent of “${task.title}”.`];
    return confirm({
      title: column === "done" ? `Finish, and ${ends}?` : `${asSentenceStart(ends)}, and start over?`,
      text: `${text} Its worktree is kept if it holds work that is nowhere else.`,
      action: column === "done" ? "Finish" : "Start over",
      danger: true,
    });
  }

  async #tried<T>(doing: () => Promise<T>): Promise<T | undefined> {
    try {
      return await doing();
    } catch (thrown) {
      toast({ kind: "error", text: inWords(thrown) });
      return undefined;
    }
  }

  /** Shows a wish until it is granted and the dashboard shows it, or refused. */
  async #wishing(wish: Wish, doing: () => Promise<boolean>): Promise<boolean> {
    this.#wishes = [...this.#wishes, wish];
    const before = this.#turns.get(wish.id);
    const turn = (async () => {
      await before;
      return doing();
    })();
    this.#turns.set(wish.id, turn);
    const isGranted = await turn;
    if (isGranted) {
      await this.#shown(wish);
      if (wish.position !== undefined) await this.#refresh();
    }
    this.#wishes = this.#wishes.filter((other) => other !== wish);
    return isGranted;
  }

  /** Waits until the dashboard shows the wish. Gives up after a while, or when another wish has replaced it. */
  #shown(wish: Wish): Promise<void> {
    const isOverruled = (what: "column" | "pinned") => {
      const later = this.#wishes.slice(this.#wishes.indexOf(wish) + 1);
      return (
        wish[what] === undefined ||
        later.some(({ id, [what]: other }) => id === wish.id && other !== undefined)
      );
    };
    const isShown = () => {
      const task = dashboard.task(wish.id);
      if (task === undefined) return true;
      const isThere = isOverruled("column") || task.status === wish.column;
      return isThere && (isOverruled("pinned") || task.pinned === wish.pinned);
    };
    if (isShown()) return Promise.resolve();
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        stop();
        resolve();
      };
      const timer = setTimeout(end, GRANTED_MS);
      const stop = dashboard.onEvent(() => isShown() && end());
    });
  }

  #refreshSoon(): void {
    clearTimeout(this.#refreshing);
    this.#refreshing = setTimeout(() => void this.#refresh(), TOGETHER_MS);
  }

  /** Asks for all positions: an event tells of the task that was moved, and not of those that made room. */
  async #refresh(): Promise<void> {
    try {
      const tasks = await api.get<Task[]>("/api/tasks");
      this.#positions = new Map(tasks.map((task) => [task.id, task.position]));
    } catch {
      // The next change brings another try, and the cards are only in an older order until then.
    }
  }
}
