/** A data directory of a test's own: the real server on it, the command line, and what workers run. */

import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { describe, expect, onTestFinished } from "vitest";
import type { Agent, Session, SessionReply, Worker, WorkerReply } from "../src/api/client";

const run = promisify(execFile);

const program = resolve(process.env["ABIDE"] ?? "../target/debug/abide");

/** How long anything may take that a test waits for. Far more than it takes: the machine may be busy. */
export const DEADLINE_MS = 20_000;

export const chromium = which("chromium");

export function which(name: string): string | undefined {
  try {
    return execFileSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).trim();
  } catch {
    return undefined;
  }
}

const missing = !existsSync(program)
  ? `${program} is not there: build it, or name it in ABIDE`
  : chromium === undefined
    ? "there is no chromium here"
    : undefined;

/** Tests that need the program and a browser. Where one is missing they are skipped, and say so. */
export function suite(name: string, tests: () => void): void {
  if (missing) console.warn(`skipped: ${name}: ${missing}`);
  describe.skipIf(missing)(missing ? `${name} (skipped: ${missing})` : name, tests);
}

/** What `abide screen --format json` says. */
export interface HostScreen {
  readonly size: { readonly cols: number; readonly rows: number };
  readonly cursor: { readonly col: number; readonly row: number; readonly visible: boolean };
  readonly alternateScreen: boolean;
  readonly rows: readonly string[];
}

/** A worker with the session that it is in. */
export interface Place {
  readonly session: string;
  readonly worker: string;
}

/** An agent for tests: a script that gets its prompt as its first argument. */
export interface FakeAgent {
  readonly id: string;
  readonly name: string;
  readonly script: string;
  /** More lines of its definition. */
  readonly more?: string;
}

export interface HouseOptions {
  readonly agents?: readonly FakeAgent[];
}

export class House {
  readonly #root: string;
  readonly #variables: NodeJS.ProcessEnv;
  #server: ChildProcess | undefined;
  #port = 0;
  /** The link that the server printed when it was ready. */
  firstLink = "";

  private constructor(root: string) {
    this.#root = root;
    this.#variables = {
      ABIDE_HOME: this.path("data"),
      ABIDE_KEEPER: "false",
      HOME: this.path("home"),
      LANG: "C.UTF-8",
      PATH: process.env["PATH"],
      SHELL: "/bin/bash",
    };
  }

  /** A new house with a server that answers. It is gone at the end of the test, with all that ran in it. */
  static async open({ agents = [] }: HouseOptions = {}): Promise<House> {
    const house = new House(await mkdtemp(join(tmpdir(), "abide-e2e-")));
    onTestFinished(() => house.#close());
    await mkdir(house.path("home"));
    await mkdir(house.path("data"), { mode: 0o700 });
    await writeFile(house.path("home/.bashrc"), "PS1='$ '\n");
    const known: string[] = [];
    for (const { id, name, script, more = "" } of agents) {
      const path = await house.script(`${id}.sh`, script);
      known.push(
        `[[agent]]\nid = "${id}"\nname = "${name}"\ncommand = ["${path}"]\nprompt = ["{prompt}"]\n${more}\n`,
      );
    }
    await writeFile(house.path("data/agents.toml"), known.join("\n"));
    await house.start();
    return house;
  }

  path(name: string): string {
    return join(this.#root, name);
  }

  get home(): string {
    return this.path("home");
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Starts the server: on any port at first, on the same one again later. */
  async start(): Promise<void> {
    const server = spawn(program, ["serve", "--listen", `127.0.0.1:${this.#port}`], {
      cwd: this.home,
      env: this.#variables,
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#server = server;
    const said: string[] = [];
    server.stderr.on("data", (bytes) => said.push(String(bytes)));
    const ready = await new Promise<string>((ready, failed) => {
      const line = (text: string) => /^ready (\S+)/.exec(text)?.[1];
      createInterface({ input: server.stdout }).on("line", (text) => {
        const link = line(text);
        if (link) ready(link);
      });
      server.once("exit", () => failed(new Error(`the server ended: ${said.join("")}`)));
      setTimeout(() => failed(new Error(`the server is not ready: ${said.join("")}`)), DEADLINE_MS).unref();
    });
    this.firstLink = ready;
    this.#port = Number(new URL(ready).port);
    const page = await (await fetch(this.url)).text();
    expect(page, "the web UI is in the program (`npm run build`, then `cargo build`)").toContain("/assets/");
  }

  /** Kills the server without warning. */
  async killServer(): Promise<void> {
    await this.#stop("SIGKILL");
  }

  /** Stops the server as it is: its connections stay open and carry nothing, as when a network goes away. */
  stopServer(): void {
    this.#server?.kill("SIGSTOP");
  }

  continueServer(): void {
    this.#server?.kill("SIGCONT");
  }

  async #stop(signal: NodeJS.Signals): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    const ended = new Promise((ended) => server.once("exit", ended));
    server.kill("SIGCONT");
    server.kill(signal);
    await ended;
  }

  /** Runs the command line. */
  async abide(...words: string[]): Promise<string> {
    const options = { cwd: this.home, env: this.#variables, timeout: DEADLINE_MS, maxBuffer: 1 << 28 };
    return (await run(program, words, options)).stdout;
  }

  /** A link that signs a browser in, under the page's own name. */
  async link(): Promise<string> {
    return (await this.api<{ url: string }>("POST", "/api/auth/codes")).url;
  }

  async token(): Promise<string> {
    return (await readFile(this.path("data/token"), "utf8")).trim();
  }

  async api<T>(method: string, path: string, body?: unknown): Promise<T> {
    const headers = { authorization: `Bearer ${await this.token()}`, "content-type": "application/json" };
    const answer = await fetch(this.url + path, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return (text ? JSON.parse(text) : undefined) as T;
  }

  async agents(): Promise<Agent[]> {
    return this.api("GET", "/api/agents");
  }

  async sessions(): Promise<Session[]> {
    return this.api("GET", "/api/sessions");
  }

  /** A session in a directory, with a terminal in which `command` runs; a shell, if nothing is said. */
  async quick(command?: readonly string[], name?: string, directory = this.home): Promise<Place> {
    const made = { type: "quick", locationPath: directory };
    const { session } = await this.api<SessionReply>("POST", "/api/sessions", made);
    return { session: session.id, worker: (await this.terminal(session.id, command, name)).id };
  }

  async terminal(session: string, command?: readonly string[], name?: string): Promise<Worker> {
    const made = { type: "terminal", ...(name && { name }), ...(command && { command }) };
    return (await this.api<WorkerReply>("POST", `/api/sessions/${session}/workers`, made)).worker;
  }

  /** What the host of a worker says that its terminal shows. */
  async screen(worker: string): Promise<HostScreen> {
    return JSON.parse(await this.abide("screen", worker, "--format", "json")) as HostScreen;
  }

  /** Kills a worker's host without warning. There is no keeper here, so the worker is lost. */
  async killHost(worker: string): Promise<void> {
    const all = JSON.parse(await this.abide("ls", "--json")) as { id: string; host?: { hostPid: number } }[];
    const host = all.find(({ id }) => id === worker)?.host;
    if (!host) throw new Error(`${worker} has no host`);
    process.kill(host.hostPid, "SIGKILL");
  }

  /** Waits until a line of a worker's terminal matches. */
  async prints(worker: string, pattern: string): Promise<void> {
    await this.abide("wait", worker, "--text", pattern, "--timeout", String(DEADLINE_MS / 1000));
  }

  /** A program of the test's. */
  async script(name: string, text: string): Promise<string> {
    const path = this.path(name);
    await writeFile(path, text.startsWith("#!") ? text : `#!/bin/bash\n${text}\n`);
    await chmod(path, 0o755);
    return path;
  }

  /** What is in a file that a worker writes; nothing while there is none. */
  async wrote(name: string): Promise<string> {
    return readFile(this.path(name), "utf8").catch(() => "");
  }

  /** A repository with a commit, registered. */
  async repository(
    name: string,
    files: Record<string, string> = { "README.md": `# ${name}\n` },
  ): Promise<string> {
    const place = join(this.home, name);
    for (const [file, text] of Object.entries(files)) {
      await mkdir(join(place, file, ".."), { recursive: true });
      await writeFile(join(place, file), text);
    }
    const git = (...words: string[]) =>
      run("git", ["-c", "user.name=A", "-c", "user.email=a@example.org", ...words], {
        cwd: place,
        env: this.#variables,
      });
    await git("init", "--quiet", "--initial-branch=main");
    await git("add", ".");
    await git("commit", "--quiet", "--message", "first");
    return (await this.api<{ id: string }>("POST", "/api/repositories", { path: place })).id;
  }

  async #close(): Promise<void> {
    try {
      await this.#stop("SIGTERM");
      const workers = JSON.parse(await this.abide("ls", "--json")) as { id: string }[];
      if (workers.length > 0) await this.abide("rm", "--force", ...workers.map(({ id }) => id));
    } finally {
      await rm(this.#root, { recursive: true, force: true, maxRetries: 3 });
    }
  }
}

/** Another user's server on this machine, with an empty page. */
export async function otherServer(): Promise<string> {
  const server = createServer((_request, answer) => {
    answer.writeHead(200, { "content-type": "text/html" });
    answer.end("<!doctype html><title>another site</title><link rel=icon href=data:,><body>elsewhere");
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return `http://127.0.0.1:${address.port}`;
}
