/** The bond of this page, and when it is fresh enough to send anything. */

import { type Device, device, signedOut } from "./device";
import { ApiProblem, problemFrom } from "./problem";
import { type Bond, type Bytes, fromText, Hello, randomBytes, toText } from "./proof";
import type { components } from "./schema";

type Schemas = components["schemas"];

/** Without an open socket, the server has proved itself so recently. Enough for the requests of one click. */
const FRESH_MS = 2_000;

/** A server that accepts a connection and says nothing is as good as none. */
const SILENCE_MS = 8_000;

/** The `host:port` that this page is at. `npm run dev` stands in for a server elsewhere. */
export function authority(): string {
  return (import.meta.env.DEV && import.meta.env["VITE_AUTHORITY"]) || location.host;
}

let bond: Bond | undefined;
let proved = Number.NEGATIVE_INFINITY;
let sockets = 0;
let hello: Promise<Bond> | undefined;

/**
 * The bond, with a server that has just proved itself: a proved socket is open, or it said hello a moment ago. If not,
 * says hello first.
 */
export async function freshBond(): Promise<Bond> {
  const fresh = sockets > 0 || performance.now() - proved < FRESH_MS;
  // After signing in anew, the browser is another device.
  if (bond !== undefined && fresh && bond.device === device()?.id) return bond;
  return provenAnew();
}

/** The server proves itself once more. Many who ask at once wait for one hello. */
export function provenAnew(): Promise<Bond> {
  hello ??= sayHello().finally(() => {
    hello = undefined;
  });
  return hello;
}

/** The server does not know the bond any more. */
export function dropBond(old: Bond): void {
  if (bond === old) bond = undefined;
}

/** A socket is open on which the server has proved itself. Returns what to call when it is closed. */
export function socketIsProved(): () => void {
  sockets += 1;
  let open = true;
  return () => {
    if (open) sockets -= 1;
    open = false;
    // The server may be gone: nothing is sent before it has proved itself once more.
    proved = Number.NEGATIVE_INFINITY;
  };
}

async function sayHello(): Promise<Bond> {
  const own = device();
  if (own === undefined) throw notSignedIn();
  const made = await exchange(own).catch((thrown: unknown) => {
    // It took too long: the server was busy, or this machine slept.
    if (thrown instanceof ApiProblem && thrown.code === "bond-over") return exchange(own);
    throw thrown;
  });
  bond = made;
  proved = performance.now();
  return made;
}

async function exchange(own: Device): Promise<Bond> {
  const begun = await Hello.begin({ device: own.id, authority: authority(), nonce: randomBytes() });
  const said: Schemas["HelloRequest"] = {
    device: own.id,
    authority: begun.fields.authority,
    key: toText(begun.key),
    nonce: toText(begun.fields.nonce),
  };
  const answered = await post("/api/auth/hello", said);
  const answer = answered.ok ? readAnswer(answered.body) : undefined;
  if (!answer || !(await begun.isByServer(own.server, answer))) throw stranger();
  // From here on the other end is our server: it has signed this very hello.
  const signature = toText(await begun.sign(own.server, answer, own.keys.privateKey));
  const opening: Schemas["OpenBond"] = { hello: said, stamp: answer.stamp, signature };
  const opened = await post("/api/auth/bonds", opening);
  if (!opened.ok) {
    const problem = problemFrom(opened.status, opened.body);
    if (problem.code === "unauthenticated") signedOut(own.id);
    throw problem;
  }
  const made = await begun.bond(own.server, answer);
  if (!(await made.isOpened(fromText(field(opened.body, "mac"))))) throw stranger();
  return made;
}

function readAnswer(body: unknown): { key: Bytes; stamp: number; signature: Bytes } | undefined {
  const key = fromText(field(body, "key"));
  const stamp = field(body, "stamp");
  const signature = fromText(field(body, "signature"));
  if (!key || !signature || typeof stamp !== "number" || !Number.isSafeInteger(stamp) || stamp < 0)
    return undefined;
  return { key, stamp, signature };
}

interface Answered {
  readonly ok: boolean;
  readonly status: number;
  readonly body: unknown;
}

/** A request without anything secret in it. */
export async function post(path: string, body: unknown): Promise<Answered> {
  const request = {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(SILENCE_MS),
  };
  try {
    const answer = await fetch(path, request);
    const text = await answer.text();
    // A server that is overloaded says so before it reads anything.
    if (answer.status >= 500) throw new Error(`it answered ${answer.status}`);
    return { ok: answer.ok, status: answer.status, body: parsed(text) };
  } catch (cause) {
    throw unreachable(cause);
  }
}

export function parsed(text: string): unknown {
  if (!text) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function field(body: unknown, name: string): unknown {
  return typeof body === "object" && body !== null ? (body as Record<string, unknown>)[name] : undefined;
}

export function unreachable(cause: unknown): ApiProblem {
  return new ApiProblem({
    code: "unreachable",
    message: "the server did not answer",
    hint: "your workers keep running; start the server again with `abide serve`",
    status: 0,
    details: { cause: String(cause) },
  });
}

export function notSignedIn(): ApiProblem {
  return new ApiProblem({
    code: "unauthenticated",
    message: "this browser is not signed in",
    hint: "open a link from `abide open`",
    status: 401,
  });
}

/** The other end is not the server that this browser signed in to. The page has told it nothing secret. */
export function stranger(): ApiProblem {
  return new ApiProblem({
    code: "stranger",
    message: "this is not the abide server that this browser knows",
    hint: "another program answers at this address, or abide lost its key; run `abide open` in a terminal and follow its link",
    status: 0,
  });
}
