/** Eight agents in three repositories: what the page has to hold. */

import { isDoing, press, STAND_IN, startTask, type Working } from "./asker";
import type { FakeAgent, House } from "./house";

const NAMES: Record<string, string> = { claude: "Claude Code", codex: "Codex", gemini: "Gemini CLI" };

/** The stand-in under the names that people know. */
export const MANY: readonly FakeAgent[] = Object.entries(NAMES).map(([id, name]) => ({
  ...STAND_IN,
  id,
  name,
}));

const TASKS: readonly (readonly [repository: string, title: string, agent: string, keys: string])[] = [
  ["shop", "Prices with more than two decimals", "claude", "A"],
  ["shop", "Keep people signed in when the server restarts", "claude", "w"],
  ["shop", "Show delivery times at checkout", "codex", "w"],
  ["handbook", "Explain how refunds work", "gemini", "c"],
  ["handbook", "Fix the broken links", "claude", "w"],
  ["infra", "Rotate the certificates", "codex", "b"],
  ["infra", "Upgrade Postgres to 18", "claude", ""],
  ["infra", "Alert when the disk is full", "gemini", "x"],
];

/** What they are called everywhere. */
export const TITLES = TASKS.map(([repository, title]) => `${title} · ${repository}`);

/** Starts all of them, one after the other, so that the first waits longest. */
export async function startMany(house: House): Promise<Working[]> {
  const repositories = new Map<string, string>();
  const all: Working[] = [];
  for (const [repository, title, agent, keys] of TASKS) {
    const id = repositories.get(repository) ?? (await house.repository(repository));
    repositories.set(repository, id);
    all.push(await startTask(house, id, title, keys, agent));
  }
  const finished = all[4];
  if (finished) {
    await isDoing(house, finished, "active");
    await press(house, finished, ".");
  }
  const shop = await house.quick(undefined, undefined, `${house.home}/shop`);
  await house.terminal(shop.session);
  return all;
}
