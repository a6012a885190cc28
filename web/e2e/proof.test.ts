/** The page knows its server before it tells it anything. */

import { createHash } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { Socket } from "node:net";
import type { Page } from "playwright-core";
import { expect, onTestFinished, test } from "vitest";
import { AWAY, browser, eventually, shows, terminal } from "./browser";
import { House, suite } from "./house";

/** Another program on the server's port. It answers like a server, and keeps everything that it gets. */
class Impostor {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #got = "";

  private constructor(server: Server) {
    this.#server = server;
  }

  static async listen(url: string): Promise<Impostor> {
    const server = createServer((request, answer) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        answer.writeHead(request.url === "/api/auth/bonds" ? 201 : 200, {
          "content-type": "application/json",
        });
        const made = Buffer.alloc(65, 4).toString("base64url");
        answer.end(
          JSON.stringify({
            key: made,
            stamp: 1,
            signature: Buffer.alloc(64, 1).toString("base64url"),
            mac: made,
          }),
        );
      });
    });
    const impostor = new Impostor(server);
    server.on("connection", (socket) => {
      impostor.#sockets.add(socket);
      socket.on("data", (bytes) => {
        impostor.#got += bytes.toString("latin1");
      });
    });
    // It opens every socket, and waits for what the page says first.
    server.on("upgrade", (request, socket) => {
      const key = `${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
      const accept = createHash("sha1").update(key).digest("base64");
      const protocol = request.headers["sec-websocket-protocol"]?.split(",")[0];
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: ${accept}\r\n${protocol ? `sec-websocket-protocol: ${protocol}\r\n` : ""}\r\n`,
      );
    });
    await new Promise<void>((ready, failed) => {
      server.once("error", failed);
      server.listen(Number(new URL(url).port), "127.0.0.1", ready);
    });
    onTestFinished(() => impostor.leave());
    return impostor;
  }

  /** Everything that it got, as text. */
  get got(): string {
    return this.#got;
  }

  async leave(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    if (this.#server.listening) await new Promise((left) => this.#server.close(left));
  }
}

const live = (page: Page) => page.getByRole("status").filter({ hasText: "Live" }).waitFor();
const stranger = (page: Page) =>
  page.getByRole("alert").filter({ hasText: "This is not the abide server that this browser knows." });
const signIn = (page: Page) => page.getByRole("heading", { name: "Open abide in this browser" });

suite("proof", () => {
  const visits = browser();

  test("s18: a browser signs in, stays signed in, and keeps no secret that a script can read", async () => {
    const house = await House.open();
    const requests: string[] = [];
    const page = await visits.stranger();
    page.on("request", (request) =>
      requests.push(`${request.url()} ${JSON.stringify(request.headers())} ${request.postData() ?? ""}`),
    );
    const link = await house.link();
    const code = new URL(link).hash.slice(1);
    await page.goto(link);
    await live(page);
    await page.reload();
    await live(page);
    expect(requests.join("\n")).not.toMatch(/bearer/i);
    expect(requests.filter((request) => request.includes(code))).toEqual([]);
    expect(await page.evaluate(() => JSON.stringify({ ...localStorage }))).not.toMatch(/abide_|token/);
    const kept = await page.evaluate(
      () =>
        new Promise<boolean[]>((done) => {
          const opening = indexedDB.open("abide");
          opening.onsuccess = () => {
            const asked = opening.result.transaction("devices").objectStore("devices").get("this");
            asked.onsuccess = () => {
              const { privateKey } = (asked.result as { keys: CryptoKeyPair }).keys;
              crypto.subtle.exportKey("jwk", privateKey).then(
                () => done([privateKey.extractable, true]),
                () => done([privateKey.extractable, false]),
              );
            };
          };
        }),
    );
    expect(kept, "the private key cannot be read").toEqual([false, false]);
  });

  test("s18: a second browser has a key of its own, and one that is revoked is signed out", async () => {
    const house = await House.open();
    const first = await visits.visit(house, { excused: AWAY });
    const second = await visits.visit(house);
    await live(first);
    await live(second);
    const id = await first.evaluate(() => localStorage.getItem("abide.device"));
    expect(await second.evaluate(() => localStorage.getItem("abide.device"))).not.toBe(id);
    await house.api("DELETE", `/api/tokens/${id}`);
    await signIn(first).waitFor();
    await live(second);
    await first.reload();
    await signIn(first).waitFor();
    await first.getByRole("textbox").fill(await house.link());
    await first.getByRole("button", { name: "Sign in" }).click();
    await live(first);
  });

  test("s18: a browser that signed in anew stays signed in when its earlier key is revoked, in all its tabs", async () => {
    const house = await House.open();
    const place = await house.quick(["cat"]);
    const page = await visits.attached(house, place, { excused: AWAY });
    const old = await page.evaluate(() => localStorage.getItem("abide.device"));
    const other = await page.context().newPage();
    await other.goto(await house.link());
    await live(other);
    expect(await other.evaluate(() => localStorage.getItem("abide.device"))).not.toBe(old);
    const again = page.waitForEvent("websocket", (socket) => socket.url().includes("/attach"));
    await house.api("DELETE", `/api/tokens/${old}`);
    await Promise.race([again, signIn(page).waitFor()]);
    expect(await signIn(page).count(), "signed out").toBe(0);
    await again;
    await page.locator('section[data-worker][data-attached="live"]').waitFor();
    await terminal(page).locator("textarea").focus();
    await page.keyboard.type("goes on\n");
    await shows(page, "goes on\ngoes on");
    for (const tab of [page, other]) {
      await live(tab);
      await tab.reload();
      await live(tab);
    }
  });

  test("s18: a token that an earlier release kept is removed, and the page asks to sign in once more", async () => {
    const house = await House.open();
    const page = await visits.stranger({
      before: () => {
        if (location.protocol === "http:") localStorage.setItem("abide.token", "abide_old_secret");
      },
    });
    await page.goto(house.url);
    await signIn(page).waitFor();
    await page.getByRole("status").filter({ hasText: "please sign in once more" }).waitFor();
    expect(await page.evaluate(() => localStorage.getItem("abide.token"))).toBeNull();
  });

  test("s18: an impostor on the server's port gets nothing, the page says so, and goes on with the real server", async () => {
    const house = await House.open();
    const place = await house.quick(["cat"]);
    const page = await visits.attached(house, place, { excused: /./ });
    await page.keyboard.type("before\n");
    await shows(page, "before\nbefore");
    await house.killServer();
    const impostor = await Impostor.listen(house.url);
    await stranger(page).waitFor();
    await page.keyboard.type("kept secret\n");
    // What a person does meanwhile is not sent either, and no code is loaded from the impostor.
    await page.evaluate(() => {
      location.hash = "#/board";
    });
    await page.evaluate(() => {
      location.hash = "#/settings";
    });
    await page.getByRole("heading", { name: "Settings" }).waitFor();
    await page.evaluate(
      ([session, worker]) => {
        location.hash = `#/session/${session}/${worker}`;
      },
      [place.session, place.worker] as const,
    );
    await eventually(() => impostor.got.split("POST /api/auth/hello").length).toBeGreaterThan(3);
    expect(impostor.got).not.toMatch(/bearer|abide_|authorization|kept secret|before/i);
    expect(impostor.got).not.toContain("/api/auth/bonds");
    expect(impostor.got, "no request but hellos").not.toMatch(/^[A-Z]+ \/(?!api\/auth\/hello |icon)/m);
    await impostor.leave();
    await house.start();
    await stranger(page).waitFor({ state: "detached" });
    await page.locator('section[data-worker][data-attached="live"]').waitFor();
    await terminal(page).locator("textarea").focus();
    await page.keyboard.type("after\n");
    await shows(page, "after\nafter");
  });

  test("s18: a link that is followed while an impostor listens does not give it the code", async () => {
    const house = await House.open();
    const page = await visits.visit(house, { excused: /./ });
    await live(page);
    const code = new URL(await house.link()).hash.slice(1);
    await house.killServer();
    const impostor = await Impostor.listen(house.url);
    await stranger(page).waitFor();
    await page.evaluate((code) => {
      location.hash = `#${code}`;
    }, code);
    await eventually(() => impostor.got).toContain("POST /api/auth/devices");
    expect(impostor.got).not.toContain(code);
    expect(impostor.got).not.toMatch(/bearer/i);
  });

  test("s18: after a restart of the server, the page goes on by itself", async () => {
    const house = await House.open();
    const page = await visits.visit(house, { excused: AWAY });
    await live(page);
    for (let times = 0; times < 2; times += 1) {
      await house.killServer();
      await page
        .getByRole("status")
        .filter({ hasText: /Reconnecting/ })
        .first()
        .waitFor();
      await house.start();
      await live(page);
      await page.evaluate(() => {
        location.hash = "#/settings";
      });
      await page.getByText("this browser", { exact: false }).first().waitFor();
      await page.evaluate(() => {
        location.hash = "#/";
      });
    }
  });

  test("r4, s18: a browser whose clock is a day wrong signs in, stays signed in and goes on", async () => {
    const house = await House.open();
    for (const days of [-1, 1]) {
      const page = await visits.stranger();
      await page.clock.install({ time: Date.now() + days * 24 * 3600 * 1000 });
      await page.goto(await house.link());
      await live(page);
      await page.reload();
      await live(page);
    }
  });

  test("s18: a private window that keeps nothing says so, and works until it is reloaded", async () => {
    const house = await House.open();
    const page = await visits.stranger({
      before: () => {
        const refuse = () => {
          throw new DOMException("no storage in this window", "SecurityError");
        };
        IDBFactory.prototype.open = refuse;
      },
    });
    await page.goto(await house.link());
    await live(page);
    await page.getByText("This window keeps nothing").waitFor();
    await page.reload();
    await signIn(page).waitFor();
  });
});
