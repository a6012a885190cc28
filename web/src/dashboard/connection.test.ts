import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { DashboardMessage } from "../api/client";
import { Connection, type Line, type Status, waitMs } from "./connection";
import { session, state, worker } from "./testing";

/** A line that the test holds the other end of. */
class FakeLine implements Line {
  onmessage: Line["onmessage"] = null;
  onclose: Line["onclose"] = null;
  left = false;
  pings = 0;

  constructor(readonly path: string) {}

  send(data: string): void {
    expect(JSON.parse(data)).toEqual({ type: "ping" });
    this.pings += 1;
  }
  close(): void {
    this.left = true;
  }
  says(message: DashboardMessage | object): void {
    this.onmessage?.({ data: JSON.stringify(message) });
  }
  closes(code: number): void {
    this.onclose?.({ code, reason: "" });
  }
}

function begin() {
  const lines: FakeLine[] = [];
  const statuses: Status[] = [];
  const heard: (string | undefined)[] = [];
  const seen = { isSignedIn: true, seq: -1, refused: 0, heard: 0 };
  const connection = new Connection({
    open: (path) => {
      const line = new FakeLine(path);
      lines.push(line);
      return line;
    },
    isSignedIn: () => seen.isSignedIn,
    onStatus: (status) => {
      if (statuses.at(-1) !== status) statuses.push(status);
    },
    onKnown: (known, event) => {
      seen.seq = known.seq;
      heard.push(event?.kind);
    },
    onHeard: () => {
      seen.heard = Date.now();
    },
    onRefused: () => {
      seen.refused += 1;
    },
    random: () => 1,
  });
  const line = () => {
    const last = lines.at(-1);
    if (!last) throw new Error("no line was opened");
    return last;
  };
  connection.start();
  return { connection, lines, line, statuses, heard, seen };
}

const removed = (seq: number) => ({
  type: "event",
  seq,
  at: "",
  event: { kind: "session.removed", sessionId: "x" },
});

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("the dashboard's connection", () => {
  test("is live with the first answer", () => {
    const { line, statuses, heard } = begin();
    expect(line().path).toBe("/ws/dashboard");
    expect(statuses).toEqual(["connecting"]);
    line().says(state(4, { sessions: [session("s", [worker("w", "s")])] }));
    line().says(removed(5));
    expect(statuses).toEqual(["connecting", "live"]);
    expect(heard).toEqual([undefined, "session.removed"]);
  });

  test("resumes from where it was cut off", () => {
    const { line, lines, statuses, heard, seen } = begin();
    line().says(state(4));
    line().says(removed(5));
    line().closes(1012);
    expect(statuses.at(-1)).toBe("reconnecting");
    vi.advanceTimersByTime(250);
    expect(lines).toHaveLength(2);
    expect(line().path).toBe("/ws/dashboard?epoch=e&since=5");
    line().says({ type: "resumed", epoch: "e", seq: 5 });
    expect(statuses.at(-1)).toBe("live");
    line().says(removed(6));
    expect(heard.at(-1)).toBe("session.removed");
    expect(seen.seq).toBe(6);
  });

  test("loads everything again from another run of the server", () => {
    const { line, seen, statuses } = begin();
    line().says(state(400));
    line().closes(1006);
    vi.advanceTimersByTime(250);
    line().says(state(2, { epoch: "f" }));
    line().says(removed(3));
    expect(seen.seq).toBe(3);
    expect(statuses.at(-1)).toBe("live");
  });

  test("asks again after a gap, and shows nothing in between", () => {
    const { line, lines, seen } = begin();
    line().says(state(4));
    const cut = line();
    cut.says(removed(7));
    expect(cut.left).toBe(true);
    expect(seen.seq).toBe(4);
    cut.says(removed(5));
    expect(seen.seq).toBe(4);
    vi.advanceTimersByTime(250);
    expect(lines).toHaveLength(2);
    expect(line().path).toBe("/ws/dashboard?epoch=e&since=4");
  });

  test("asks for everything when the server goes on from somewhere else", () => {
    const { line } = begin();
    line().says(state(4));
    line().closes(1006);
    vi.advanceTimersByTime(250);
    line().says({ type: "resumed", epoch: "e", seq: 9 });
    vi.advanceTimersByTime(500);
    expect(line().path).toBe("/ws/dashboard");
  });

  test("passes over messages of kinds that it does not know", () => {
    const { line, statuses } = begin();
    line().says({ type: "greeting" });
    expect(statuses).toEqual(["connecting"]);
    line().says(state(1));
    line().says({ type: "greeting" });
    expect(statuses).toEqual(["connecting", "live"]);
  });

  test("waits longer each time, and shortly again after it was live", () => {
    const { line, lines } = begin();
    line().says(state(1));
    for (const wait of [250, 500, 1_000, 2_000, 4_000, 8_000, 8_000]) {
      const before = lines.length;
      line().closes(1006);
      vi.advanceTimersByTime(wait - 1);
      expect(lines).toHaveLength(before);
      vi.advanceTimersByTime(1);
      expect(lines).toHaveLength(before + 1);
    }
    line().says({ type: "resumed", epoch: "e", seq: 1 });
    const before = lines.length;
    line().closes(1006);
    vi.advanceTimersByTime(250);
    expect(lines).toHaveLength(before + 1);
  });

  test("waits between half the time and all of it", () => {
    expect(waitMs(0, 0)).toBe(125);
    expect(waitMs(0, 1)).toBe(250);
    expect(waitMs(30, 1)).toBe(8_000);
  });

  test("connects at once when the person asks for it, and stays as it is while it is live", () => {
    const { connection, line, lines } = begin();
    line().says(state(1));
    connection.hurry();
    expect(lines).toHaveLength(1);
    line().closes(1006);
    connection.hurry();
    expect(lines).toHaveLength(2);
    vi.advanceTimersByTime(5_000);
    expect(lines).toHaveLength(2);
  });

  test("gives up on a server that says nothing", () => {
    const { line, lines } = begin();
    const silent = line();
    vi.advanceTimersByTime(10_000);
    expect(silent.left).toBe(true);
    vi.advanceTimersByTime(250);
    expect(lines).toHaveLength(2);
  });

  test("asks a server that is quiet whether it is there, and leaves one that does not answer", () => {
    const { line, lines, statuses, seen } = begin();
    line().says(state(1));
    const spoke = Date.now();
    for (const pings of [1, 2, 3]) {
      vi.advanceTimersByTime(5_000);
      expect(line().pings).toBe(pings);
      vi.advanceTimersByTime(1_000);
      line().says({ type: "pong" });
      expect(seen.heard).toBe(spoke + pings * 6_000);
    }
    vi.advanceTimersByTime(9_999);
    expect(statuses.at(-1)).toBe("live");
    vi.advanceTimersByTime(1);
    expect(statuses.at(-1)).toBe("reconnecting");
    expect(lines[0]?.left).toBe(true);
    expect(seen.heard, "its age counts from its last word").toBe(spoke + 18_000);
  });

  test("does not ask a server that speaks", () => {
    const { line } = begin();
    line().says(state(1));
    for (let seq = 2; seq < 10; seq += 1) {
      vi.advanceTimersByTime(4_000);
      line().says(removed(seq));
    }
    expect(line().pings).toBe(0);
  });

  test("checks its connection when the network goes away or the person comes back", () => {
    for (const act of ["doubt", "hurry"] as const) {
      const { connection, line, lines, statuses } = begin();
      connection[act]();
      expect(line().pings, "it has not answered yet").toBe(0);
      line().says(state(1));
      connection[act]();
      vi.advanceTimersByTime(1_000);
      line().says({ type: "pong" });
      vi.advanceTimersByTime(1_000);
      expect(statuses.at(-1)).toBe("live");
      connection[act]();
      vi.advanceTimersByTime(1_500);
      expect(statuses.at(-1)).toBe("reconnecting");
      expect(lines[0]?.left).toBe(true);
      connection.stop();
    }
  });

  test("was there until now when the connection breaks, and not when a new one is refused", () => {
    const { line, seen } = begin();
    line().says(state(1));
    vi.advanceTimersByTime(3_000);
    line().closes(1006);
    const broke = seen.heard;
    expect(broke).toBe(Date.now());
    vi.advanceTimersByTime(250);
    line().closes(1006);
    expect(seen.heard).toBe(broke);
  });

  test("does not connect again after the server refused the browser", () => {
    const { line, lines, seen } = begin();
    line().says(state(1));
    line().closes(4401);
    expect(seen.refused).toBe(1);
    vi.advanceTimersByTime(60_000);
    expect(lines).toHaveLength(1);
  });

  test("s18: says that the server is a stranger until the server itself answers", () => {
    const { line, statuses } = begin();
    line().says(state(1));
    line().closes(1006);
    vi.advanceTimersByTime(250);
    line().closes(4499);
    expect(statuses.at(-1)).toBe("stranger");
    vi.advanceTimersByTime(500);
    line().closes(1006);
    expect(statuses.at(-1)).toBe("stranger");
    vi.advanceTimersByTime(1_000);
    line().says({ type: "resumed", epoch: "e", seq: 1 });
    expect(statuses.at(-1)).toBe("live");
    line().closes(1006);
    expect(statuses.at(-1)).toBe("reconnecting");
  });

  test("does not connect in a browser that is not signed in", () => {
    const { connection, lines, statuses, seen } = begin();
    seen.isSignedIn = false;
    connection.start();
    expect(statuses.at(-1)).toBe("signedOut");
    expect(lines).toHaveLength(1);
    connection.hurry();
    expect(lines).toHaveLength(1);
  });

  test("forgets everything after signing out", () => {
    const { connection, line, lines } = begin();
    line().says(state(9));
    connection.forget();
    expect(lines[0]?.left).toBe(true);
    connection.start();
    expect(line().path).toBe("/ws/dashboard");
  });
});
