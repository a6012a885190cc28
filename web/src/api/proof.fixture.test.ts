/** The Rust side writes a whole conversation into a fixture. Here the same one is held from the page's side. */

import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { type Bond, type Bytes, CodeKey, fromText, Hello, toText, utf8 } from "./proof";

interface Pair {
  readonly private: string;
  readonly public: string;
}

const fixture = JSON.parse(readFileSync("../crates/proof/fixtures/conversation.json", "utf8"));

const bytes = (text: string): Bytes => {
  const found = fromText(text);
  if (!found) throw new Error(`${text} is not base64`);
  return found;
};

async function pair(given: Pair, name: "ECDSA" | "ECDH"): Promise<CryptoKeyPair> {
  const point = bytes(given.public);
  const [x, y] = [toText(point.slice(1, 33)), toText(point.slice(33))];
  const curve = { name, namedCurve: "P-256" };
  const jwk = { kty: "EC", crv: "P-256", x, y };
  const uses: KeyUsage[][] = name === "ECDH" ? [["deriveBits"], []] : [["sign"], ["verify"]];
  return {
    privateKey: await crypto.subtle.importKey(
      "jwk",
      { ...jwk, d: given.private },
      curve,
      false,
      uses[0] ?? [],
    ),
    publicKey: await crypto.subtle.importKey("jwk", jwk, curve, true, uses[1] ?? []),
  };
}

describe("the conversation of the fixture", () => {
  const { authority, device, keys, signIn, hello, request, socket } = fixture;
  const server = bytes(keys.server.public);
  const answer = { key: bytes(hello.serverKey), stamp: hello.stamp, signature: bytes(hello.byServer) };
  let begun: Hello;
  let bond: Bond;

  beforeAll(async () => {
    const given = { device, authority, nonce: bytes(hello.nonce) };
    begun = await Hello.begin(given, await pair(keys.ephemeral, "ECDH"));
    bond = await begun.bond(server, answer);
  });

  test("s18: a code gives the same name and the same proofs", async () => {
    const code = await CodeKey.of(signIn.code);
    expect(toText(code.id)).toBe(signIn.id);
    const wanted = { authority, key: bytes(keys.device.public), nonce: bytes(signIn.nonce) };
    expect(toText(await code.byPage(wanted))).toBe(signIn.byPage);
    expect(await code.isByServer(wanted, server, device, bytes(signIn.byServer))).toBe(true);
    expect(await code.isByServer(wanted, server, "other", bytes(signIn.byServer))).toBe(false);
    const elsewhere = { ...wanted, authority: "localhost:1" };
    expect(await code.isByServer(elsewhere, server, device, bytes(signIn.byServer))).toBe(false);
  });

  test("s18: only the server's own signature under this very hello counts", async () => {
    expect(await begun.isByServer(server, answer)).toBe(true);
    expect(await begun.isByServer(bytes(keys.device.public), answer)).toBe(false);
    expect(await begun.isByServer(server, { ...answer, stamp: hello.stamp + 1 })).toBe(false);
    expect(await begun.isByServer(server, { ...answer, signature: bytes(hello.byPage) })).toBe(false);
    expect(await begun.isByServer(server, { ...answer, signature: new Uint8Array(3) })).toBe(false);
    expect(await begun.isByServer(new Uint8Array(65), answer)).toBe(false);
  });

  test("s18: the page signs what the server expects", async () => {
    const own = await pair(keys.device, "ECDSA");
    const spy = vi.spyOn(crypto.subtle, "sign");
    const signature = await begun.sign(server, answer, own.privateKey);
    const signed = spy.mock.calls[0]?.[2] as Bytes;
    spy.mockRestore();
    const fits = (each: Bytes) =>
      crypto.subtle.verify({ name: "ECDSA", hash: "SHA-256" }, own.publicKey, each, signed);
    expect(signature).toHaveLength(64);
    expect(await fits(signature)).toBe(true);
    expect(await fits(bytes(hello.byPage))).toBe(true);
  });

  test("s18: both sides have the same bond", async () => {
    expect(bond.id).toBe(hello.bond);
    expect(await bond.isOpened(bytes(hello.opened))).toBe(true);
    const { authorization } = await bond.request({ ...request, body: utf8(request.body) }, request.count);
    expect(authorization).toBe(request.authorization);
    expect(await bond.isAnswer(request.count, request.status, request.answer)).toBe(true);
    expect(await bond.isAnswer(request.count + 1, request.status, request.answer)).toBe(false);
    expect(await bond.isAnswer(request.count, 200, request.answer)).toBe(false);
    expect(await bond.isAnswer(request.count, request.status, null)).toBe(false);
    const challenge = {
      target: socket.target,
      byServer: bytes(socket.byServer),
      byPage: bytes(socket.byPage),
    };
    expect(await bond.socketByPage(challenge)).toBe(socket.pageMac);
    expect(await bond.isSocketByServer(challenge, bytes(socket.serverMac))).toBe(true);
    expect(await bond.isSocketByServer(challenge, bytes(socket.pageMac))).toBe(false);
  });
});
