import { ApiProblem, problemFrom } from "./problem";
import type { components } from "./schema";

export { ApiProblem, inWords } from "./problem";

export type Schemas = components["schemas"];
export type Activity = Schemas["Activity"];
export type Agent = Schemas["Agent"];
export type ArchivedTask = Schemas["ArchivedTask"];
export type CreateSession = Schemas["CreateSession"];
export type CreateTask = Schemas["CreateTask"];
export type CreateWorker = Schemas["CreateWorker"];
export type DashboardEvent = Schemas["DashboardEvent"];
export type DashboardMessage = Schemas["DashboardMessage"];
export type Health = Schemas["Health"];
export type RecordedLines = Schemas["RecordedLines"];
export type RecordedScreen = Schemas["RecordedScreen"];
export type RecordingInfo = Schemas["RecordingInfo"];
export type RecordingMark = Schemas["RecordingMark"];
export type RecordingMarks = Schemas["RecordingMarks"];
export type Repository = Schemas["Repository"];
export type SearchHit = Schemas["SearchHit"];
export type SearchReply = Schemas["SearchReply"];
export type Session = Schemas["Session"];
export type SessionLog = Schemas["SessionLog"];
export type SessionReply = Schemas["SessionReply"];
export type Task = Schemas["Task"];
export type Token = Schemas["Token"];
export type UpdateTask = Schemas["UpdateTask"];
export type Upload = Schemas["Upload"];
export type Worker = Schemas["Worker"];
export type WorkerReply = Schemas["WorkerReply"];
export type WorkerState = Schemas["WorkerState"];
export type Worktree = Schemas["Worktree"];

export type Query = Record<string, string | number | boolean | undefined>;

const TOKEN = "abide.token";
const TOKEN_ID = "abide.token.id";

/** The secret that opens the server to this browser, if it has one. */
export function token(): string | undefined {
  return localStorage.getItem(TOKEN) ?? undefined;
}

/** Keeps the secret in storage that only this origin can read. */
export function keepToken(secret: string, id: string): void {
  localStorage.setItem(TOKEN, secret);
  localStorage.setItem(TOKEN_ID, id);
}

/** Which of the server's tokens that is. */
export function tokenId(): string | undefined {
  return localStorage.getItem(TOKEN_ID) ?? undefined;
}

const signOutListeners = new Set<() => void>();

/** Forgets the token: the server does not take it any more. */
export function signedOut(): void {
  localStorage.removeItem(TOKEN);
  localStorage.removeItem(TOKEN_ID);
  for (const listener of signOutListeners) listener();
}

export function onSignedOut(listener: () => void): () => void {
  signOutListeners.add(listener);
  return () => signOutListeners.delete(listener);
}

/** The address of a WebSocket on our own origin. */
export function socketUrl(path: string): string {
  const url = new URL(path, location.href);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  return url.href;
}

/** A browser's socket cannot send a header, so this is its first message. */
export function authFrame(secret: string): string {
  return JSON.stringify({ type: "auth", token: secret });
}

/** Everything that REST can do. What fails is an `ApiProblem`; without an answer its code is "unreachable". */
export const api = {
  get: <T>(path: string, query?: Query): Promise<T> => send<T>("GET", withQuery(path, query)),
  post: <T>(path: string, body?: unknown): Promise<T> => send<T>("POST", path, body),
  patch: <T>(path: string, body?: unknown): Promise<T> => send<T>("PATCH", path, body),
  delete: <T = void>(path: string, query?: Query): Promise<T> => send<T>("DELETE", withQuery(path, query)),
  /** Keeps a file in the worker's private directory. */
  upload: (workerId: string, file: File, type: string): Promise<Upload> =>
    answer<Upload>(withQuery(`/api/workers/${encodeURIComponent(workerId)}/uploads`, { name: file.name }), {
      method: "POST",
      headers: { "content-type": type },
      body: file,
    }),
};

function withQuery(path: string, query: Query = {}): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, String(value));
  const text = given.toString();
  return text ? `${path}?${text}` : path;
}

function send<T>(method: string, path: string, body?: unknown): Promise<T> {
  if (body === undefined) return answer<T>(path, { method });
  return answer<T>(path, {
    method,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

async function answer<T>(path: string, request: RequestInit): Promise<T> {
  const headers = new Headers(request.headers);
  const secret = token();
  if (secret) headers.set("authorization", `Bearer ${secret}`);
  const response = await fetch(path, { ...request, headers }).catch((cause: unknown) => {
    throw new ApiProblem({
      code: "unreachable",
      message: "the server did not answer",
      hint: "your workers keep running; start the server again with `abide serve`",
      status: 0,
      details: { cause: String(cause) },
    });
  });
  const text = await response.text();
  const body = parsed(text);
  if (response.ok) return body as T;
  // A wrong code signs out no browser: the one that sends it is not signed in yet.
  const problem = problemFrom(response.status, body);
  if (problem.code === "unauthenticated" && secret === token()) signedOut();
  throw problem;
}

function parsed(text: string): unknown {
  if (!text) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
