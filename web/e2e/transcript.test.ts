/** The conversation of an agent beside its terminal, and what agents used. */

import { appendFile, writeFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { SessionReply } from "../src/api/client";
import { browser, goTo, PHONE, show } from "./browser";
import { type FakeAgent, House, suite } from "./house";

/** A stand-in for an agent that keeps its conversation as Claude does; the test writes it. */
const SCRIBE: FakeAgent = {
  id: "scribe",
  name: "Scribe",
  script: 'printf "%s" "$2" >"$HOME/id"; echo ready; exec cat',
  more: `start-with-id = ["--session-id", "{id}"]
resume = ["--resume", "{id}"]
transcript = "claude"
conversation = { kept-in = "~/{id}.jsonl" }`,
};

const line = (record: unknown) => `${JSON.stringify(record)}\n`;

const prompt = (content: unknown) =>
  line({ type: "user", timestamp: "2026-11-19T10:00:00Z", message: { content } });

const answer = (id: string, day: number, content: unknown) =>
  line({
    type: "assistant",
    timestamp: `2026-11-${day}T10:00:05Z`,
    message: {
      id,
      model: "opus",
      content,
      usage: { input_tokens: 1200, output_tokens: 340, cache_read_input_tokens: 25_000 },
    },
  });

const said = (text: string) => [{ type: "text", text }];

const TALK = [
  prompt("Round the prices to whole cents"),
  answer("1", 17, [
    { type: "thinking", thinking: "Where are the prices?\nProbably in src." },
    { type: "tool_use", id: "t1", name: "Bash", input: { command: "grep -rn price src" } },
  ]),
  prompt([{ type: "tool_result", tool_use_id: "t1", content: "src/price.js:3\nsrc/cart.js:8" }]),
  answer("2", 19, said("The prices are whole cents now.\n\n<b>12</b> tests pass.")),
].join("");

async function open() {
  const house = await House.open({ agents: [SCRIBE] });
  const wanted = { type: "quick", locationPath: house.home, agentId: SCRIBE.id };
  const { session } = await house.api<SessionReply>("POST", "/api/sessions", wanted);
  const worker = session.workers[0]?.id ?? "";
  await house.prints(worker, "ready");
  const file = `${house.home}/${await house.wrote("home/id")}.jsonl`;
  return { house, file, place: { session: session.id, worker } };
}

/** What the browser puts down when there is no transcript yet. */
const MISSING = /status of 409/;

const conversation = (page: Page) => page.getByRole("complementary", { name: "Conversation" });

suite("transcript", () => {
  const visits = browser();

  test("a conversation stands beside the terminal, folded, and grows", async () => {
    const { house, file, place } = await open();
    const page = await visits.visit(house, { excused: MISSING });
    await show(page, place);
    await page.getByRole("button", { name: "Conversation", exact: true }).click();
    await conversation(page).getByText("Scribe has not written down its conversation yet").waitFor();
    await writeFile(file, TALK);
    const log = conversation(page).getByRole("log");
    await log.getByText("Round the prices to whole cents").waitFor();
    // Text is text, never markup.
    await log.getByText("<b>12</b> tests pass.").waitFor();
    expect(await log.getByText("src/cart.js:8").isVisible()).toBe(false);
    await log.getByText("Bash").click();
    await log.getByText("src/cart.js:8").waitFor();
    await appendFile(file, prompt("And the taxes?"));
    await log.getByText("And the taxes?").waitFor();
    if (process.env["PICTURES"]) await page.screenshot({ path: `${process.env["PICTURES"]}/transcript.png` });
    await conversation(page).getByRole("button", { name: "Close the conversation" }).click();
    await conversation(page).waitFor({ state: "detached" });

    await page.goto("about:blank");
    const phone = await visits.visit(house, PHONE);
    await show(phone, place);
    await phone.getByRole("button", { name: "Conversation", exact: true }).click();
    await conversation(phone).getByText("And the taxes?").waitFor();
    if (process.env["PICTURES"])
      await phone.screenshot({ path: `${process.env["PICTURES"]}/transcript-phone.png` });
  });

  test("usage is shown by worker and by day", async () => {
    const { house, file } = await open();
    await writeFile(file, TALK);
    const page = await visits.visit(house);
    await goTo(page, "#/usage");
    const row = page.getByRole("row").filter({ hasText: "Scribe" });
    await row.getByText("50k", { exact: true }).waitFor();
    await row.getByText("opus").waitFor();
    await row.getByRole("link").waitFor();
    await page.getByText("Tokens each day").waitFor();
    expect(await page.getByRole("figure").getByRole("listitem").count()).toBe(3);
    await page.getByRole("button", { name: "Day", exact: true }).click();
    await page.getByRole("rowheader", { name: "2026-11-19" }).waitFor();
    expect(await page.getByRole("row").count()).toBe(3);
    if (process.env["PICTURES"]) await page.screenshot({ path: `${process.env["PICTURES"]}/usage.png` });
  });
});
