import { Terminal } from "@xterm/xterm";
import { describe, expect, it } from "vitest";

import { isPersonal, silence } from "./quiet";

async function saidBy(terminal: Terminal, output: string): Promise<string[]> {
  const said: string[] = [];
  terminal.onData((data) => said.push(data));
  await new Promise<void>((done) => terminal.write(output, done));
  return said;
}

const QUESTIONS: [string, string][] = [
  ["DA1", "\x1b[c"],
  ["DA1 in full", "\x1b[0c"],
  ["DA2", "\x1b[>c"],
  ["DA3", "\x1b[=c"],
  ["status", "\x1b[5n"],
  ["cursor position", "\x1b[6n"],
  ["cursor position, private", "\x1b[?6n"],
  ["colour scheme", "\x1b[?996n"],
  ["terminal parameters", "\x1b[x"],
  ["ANSI mode", "\x1b[4$p"],
  ["private mode", "\x1b[?2026$p"],
  ["version", "\x1b[>0q"],
  ["kitty keyboard", "\x1b[?u"],
  ["size in characters", "\x1b[18t"],
  ["size in pixels", "\x1b[14t"],
  ["title", "\x1b[21t"],
  ["settings", "\x1bP$qm\x1b\\"],
  ["termcap", "\x1bP+q544e\x1b\\"],
  ["identify", "\x1bZ"],
  ["palette", "\x1b]4;1;?\x07"],
  ["foreground", "\x1b]10;?\x1b\\"],
  ["background", "\x1b]11;?\x1b\\"],
  ["cursor colour", "\x1b]12;?\x1b\\"],
  ["several colours", "\x1b]10;?;?;?\x1b\\"],
  ["clipboard", "\x1b]52;c;?\x07"],
];

describe("a silenced emulator", () => {
  it.each(QUESTIONS)("does not answer: %s", async (_name, question) => {
    const terminal = new Terminal({ allowProposedApi: true });
    silence(terminal.parser);
    expect(await saidBy(terminal, question)).toEqual([]);
  });

  it("would answer without the silencing", async () => {
    const answered = await Promise.all(
      QUESTIONS.map(
        async ([, question]) => (await saidBy(new Terminal({ allowProposedApi: true }), question)).length > 0,
      ),
    );
    expect(answered.filter(Boolean).length).toBeGreaterThan(5);
  });

  it("still takes colours and titles", async () => {
    const terminal = new Terminal({ allowProposedApi: true });
    silence(terminal.parser);
    const titles: string[] = [];
    terminal.onTitleChange((title) => titles.push(title));
    await saidBy(terminal, "\x1b]2;a\x07\x1b[22;2t\x1b]2;b\x07\x1b[23;2t\x1b]4;1;#ff0000\x07");
    expect(titles.slice(0, 2)).toEqual(["a", "b"]);
  });
});

describe("input for the host", () => {
  it("is keys and mouse of a person", () => {
    for (const data of [
      "a",
      "日本",
      "\r",
      "\x7f",
      "\x1b[<0;10;5M",
      "\x1b[<35;10;5m",
      "\x1bOA\x1bOA",
      "\x1b[B",
    ]) {
      expect(isPersonal(data), JSON.stringify(data)).toBe(true);
    }
  });

  it("is never an answer", () => {
    const answers = [
      "\x1b[?1;2c",
      "\x1b[1;2R",
      "\x1b[0n",
      "\x1b[?2026;2$y",
      "\x1b]11;rgb:0000/0000/0000\x1b\\",
      "\x1bP>|xterm.js(6.0.0)\x1b\\",
      "\x1b[I",
      "\x1b[O",
      "\x1b[?0u",
      "x\x1b[0n",
    ];
    for (const data of answers) expect(isPersonal(data), JSON.stringify(data)).toBe(false);
  });
});
