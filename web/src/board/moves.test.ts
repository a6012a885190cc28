import { describe, expect, it } from "vitest";
import { dropColumns, planCancel, planDone, planMove, planRetry, planStart } from "./moves";
import { withPositions, withWishes } from "./overlay";
import { taskStanding } from "./standing";
import { task } from "./testing";

const steps = (plan: ReturnType<typeof planMove>) =>
  plan.kind === "steps" ? plan.steps.join(" ") : plan.kind;

describe("a move", () => {
  it("is one step or two, or refused", () => {
    expect(steps(planMove(task("a"), "active"))).toBe("activate");
    expect(steps(planMove(task("a"), "done"))).toBe("activate complete");
    expect(steps(planMove(task("a", { status: "done" }), "active"))).toBe("reopen");
    expect(steps(planMove(task("a", { status: "active" }), "backlog"))).toBe("refused");
    expect(steps(planMove(task("a"), "backlog"))).toBe("nothing");
    expect(dropColumns(task("a", { status: "done" }))).toEqual(["active", "done"]);
  });

  it("says when it ends an agent that runs", () => {
    const running = task("a", { status: "active", sessionId: "s", sessionStatus: "running" });
    expect(planDone(running)).toMatchObject({ steps: ["complete"], endsSession: true });
    expect(planRetry(running)).toMatchObject({ steps: ["retry"], endsSession: true });
    expect(planDone({ ...running, sessionStatus: "failed" })).toMatchObject({ endsSession: false });
    expect(planDone({ ...running, sessionStatus: "provisioning" })).toMatchObject({ endsSession: true });
    expect(planRetry({ ...running, sessionStatus: "pending" })).toMatchObject({ endsSession: true });
  });
});

describe("a start", () => {
  it("works from every column", () => {
    expect(steps(planStart(task("a")))).toBe("activate start");
    expect(steps(planStart(task("a", { status: "active" })))).toBe("start");
    expect(steps(planStart(task("a", { status: "done" })))).toBe("reopen start");
  });
  it("is another try once the session has ended, and refused while it runs", () => {
    const failed = task("a", { status: "active", sessionId: "s", sessionStatus: "failed" });
    expect(steps(planStart(failed))).toBe("retry");
    expect(steps(planStart({ ...failed, sessionStatus: "waiting_for_input" }))).toBe("refused");
    expect(steps(planRetry(task("a", { status: "active" })))).toBe("start");
  });
});

describe("a start that is cancelled", () => {
  it("has not ended yet", () => {
    const starting = task("a", { status: "active", sessionId: "s", sessionStatus: "provisioning" });
    expect(steps(planCancel(starting))).toBe("cancel");
    expect(steps(planCancel({ ...starting, sessionStatus: "pending" }))).toBe("cancel");
    for (const sessionStatus of ["running", "waiting_for_input", "done", "failed"] as const) {
      expect(steps(planCancel({ ...starting, sessionStatus }))).toBe("refused");
    }
    expect(steps(planCancel(task("a")))).toBe("refused");
  });
});

describe("wishes", () => {
  it("are shown before the server answers", () => {
    const tasks = [task("a"), task("b", { position: 1 })];
    const shown = withWishes(tasks, [
      { id: "b", column: "done" },
      { id: "b", column: "active", position: 0, pinned: true },
    ]);
    expect(shown.map((one) => [one.id, one.status, one.position, one.pinned])).toEqual([
      ["a", "backlog", 1, false],
      ["b", "active", 0, true],
    ]);
    expect(withPositions(tasks, new Map([["a", 5]]))[0]?.position).toBe(5);
  });
});

describe("the state of a task", () => {
  it("is shown in one word, with the next action", () => {
    const failed = task("a", { sessionStatus: "failed", sessionError: "there is no command `claude`" });
    expect(taskStanding(task("a"), undefined).word).toBe("not started");
    expect(taskStanding(failed, undefined)).toMatchObject({
      tone: "bad",
      reason: "There is no command `claude`.",
    });
    expect(taskStanding(failed, undefined).advice).toContain("Install");
    expect(taskStanding(task("a", { sessionStatus: "waiting_for_input" }), undefined).tone).toBe("asking");
  });
});
