import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Newest } from "./newest";

/** How long an older question is waited for. */
const PATIENCE_MS = 20;

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

function set() {
  const waiting: { key: number; done: (value: string) => void; fail: (error: Error) => void }[] = [];
  const seen: string[] = [];
  const newest = new Newest<number, string>({
    load: (key) =>
      new Promise<string>((done, fail) => {
        waiting.push({ key, done, fail });
      }),
    nameOf: String,
    answers: {
      shown: (key, value) => seen.push(`${key}=${value}`),
      failed: (key) => seen.push(`${key} failed`),
    },
    most: 2,
    patienceMs: PATIENCE_MS,
  });
  const answer = async (failing = false) => {
    const first = waiting.shift();
    if (first === undefined) throw new Error("nothing was asked for");
    if (failing) first.fail(new Error("no"));
    else first.done(`screen ${first.key}`);
    await vi.advanceTimersByTimeAsync(0);
    return first.key;
  };
  return { newest, waiting, seen, answer };
}

describe("the newest wish", () => {
  it("is requested as soon as the one before is answered, and those between never", async () => {
    const { newest, waiting, seen, answer } = set();
    for (const key of [1, 2, 3, 4]) newest.want(key);
    expect(waiting.length).toBe(1);
    expect(await answer()).toBe(1);
    expect(await answer()).toBe(4);
    expect(seen).toEqual(["1=screen 1", "4=screen 4"]);
  });

  it("is shown at once if it is in the cache; the least recently used one is dropped", async () => {
    const { newest, waiting, seen, answer } = set();
    for (const key of [1, 2]) {
      newest.want(key);
      await answer();
    }
    newest.want(1);
    expect(seen.at(-1)).toBe("1=screen 1");
    newest.want(3);
    await answer();
    newest.want(1);
    expect(waiting.length).toBe(0);
    newest.want(2);
    expect(waiting.length).toBe(1);
  });

  it("forgets a failure that no caller waits for, and reports the others", async () => {
    const { newest, seen, answer } = set();
    newest.want(1);
    newest.want(2);
    await answer(true);
    await answer(true);
    expect(seen).toEqual(["2 failed"]);
  });

  it("shows nothing once it is closed", async () => {
    const { newest, seen, answer } = set();
    newest.want(1);
    newest.close();
    await answer();
    newest.want(1);
    expect(seen).toEqual([]);
  });

  it("does not wait for ever for an older one", async () => {
    const { newest, waiting, seen, answer } = set();
    newest.want(1);
    newest.want(2);
    await vi.advanceTimersByTimeAsync(PATIENCE_MS - 1);
    expect(waiting.map(({ key }) => key)).toEqual([1]);
    await vi.advanceTimersByTimeAsync(1);
    expect(waiting.map(({ key }) => key)).toEqual([1, 2]);
    await answer();
    expect(seen).toEqual([]);
    await answer();
    expect(seen).toEqual(["2=screen 2"]);
  });
});
