import { dropBond, freshBond, parsed, provenAnew, unreachable } from "./bonds";
import { signedOut } from "./device";
import { ApiProblem, problemFrom } from "./problem";
import { type Bond, type Bytes, utf8 } from "./proof";
import type { components } from "./schema";

export { ApiProblem, inWords } from "./problem";

export type Schemas = components["schemas"];
export type Activity = Schemas["Activity"];
export type Answer = Schemas["Answer"];
export type Agent = Schemas["Agent"];
export type ArchivedTask = Schemas["ArchivedTask"];
export type CreateSession = Schemas["CreateSession"];
export type CreateTask = Schemas["CreateTask"];
export type CreateWorker = Schemas["CreateWorker"];
export type DashboardEvent = Schemas["DashboardEvent"];
export type DashboardMessage = Schemas["DashboardMessage"];
export type Explanation = Schemas["Explanation"];
export type Health = Schemas["Health"];
export type InboxItem = Schemas["InboxItem"];
export type InboxReason = Schemas["InboxReason"];
export type Prompt = Schemas["Prompt"];
export type PromptState = Schemas["PromptState"];
export type Question = Schemas["Question"];
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
export type Transcript = Schemas["Transcript"];
export type TranscriptEntry = Schemas["TranscriptEntry"];
export type UpdateTask = Schemas["UpdateTask"];
export type Upload = Schemas["Upload"];
export type UsageReport = Schemas["UsageReport"];
export type UsageRow = Schemas["UsageRow"];
export type Worker = Schemas["Worker"];
export type WorkerReply = Schemas["WorkerReply"];
export type WorkerState = Schemas["WorkerState"];
export type Worktree = Schemas["Worktree"];

export type Query = Record<string, string | number | boolean | undefined>;

/** Everything that REST can do. What fails is an `ApiProblem`; without an answer its code is "unreachable". */
export const api = {
  get: <T>(path: string, query?: Query): Promise<T> => send<T>("GET", withQuery(path, query)),
  post: <T>(path: string, body?: unknown): Promise<T> => send<T>("POST", path, body),
  put: <T>(path: string, body?: unknown): Promise<T> => send<T>("PUT", path, body),
  patch: <T>(path: string, body?: unknown): Promise<T> => send<T>("PATCH", path, body),
  delete: <T = void>(path: string, query?: Query): Promise<T> => send<T>("DELETE", withQuery(path, query)),
  /** Keeps a file in the worker's private directory. */
  upload: (workerId: string, file: File, type: string): Promise<Upload> =>
    file
      .arrayBuffer()
      .then((bytes) =>
        answer<Upload>(
          "POST",
          withQuery(`/api/workers/${encodeURIComponent(workerId)}/uploads`, { name: file.name }),
          type,
          new Uint8Array(bytes),
        ),
      ),
};

function withQuery(path: string, query: Query = {}): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, String(value));
  const text = given.toString();
  return text ? `${path}?${text}` : path;
}

const NO_BODY: Bytes = new Uint8Array(0);

function send<T>(method: string, path: string, body?: unknown): Promise<T> {
  if (body === undefined) return answer<T>(method, path, "", NO_BODY);
  return answer<T>(method, path, "application/json", utf8(JSON.stringify(body)));
}

async function answer<T>(method: string, path: string, kind: string, body: Bytes): Promise<T> {
  const asked = await ask(method, path, kind, body, await freshBond());
  // The server does not know the bond any more, and has done nothing.
  const { problem, text, proved, device } = asked.isOver
    ? await ask(method, path, kind, body, await provenAnew())
    : asked;
  if (!proved) {
    // Not the server's answer, or one that it gave before it read the request. This throws if it is not our server.
    await provenAnew();
    throw (
      problem ?? new ApiProblem({ code: "strange-answer", message: "the answer is not proved", status: 0 })
    );
  }
  if (problem === undefined) return parsed(text) as T;
  if (problem.code === "unauthenticated") signedOut(device);
  throw problem;
}

interface Asked {
  readonly text: string;
  readonly problem: ApiProblem | undefined;
  /** Whether the server has shown with its answer that it has the bond's key. */
  readonly proved: boolean;
  readonly isOver: boolean;
  /** The device that asked. */
  readonly device: string;
}

async function ask(method: string, path: string, kind: string, body: Bytes, bond: Bond): Promise<Asked> {
  const url = new URL(path, location.href);
  const target = url.pathname + url.search;
  const { count, authorization } = await bond.request({ method, target, kind, body });
  const headers = new Headers({ authorization });
  if (kind) headers.set("content-type", kind);
  const response = await fetch(target, { method, headers, ...(kind && { body }) }).catch((cause: unknown) => {
    throw unreachable(cause);
  });
  const text = await response.text();
  const proved = await bond.isAnswer(count, response.status, response.headers.get("abide-proof"));
  const problem = response.ok ? undefined : problemFrom(response.status, parsed(text));
  const isOver = !proved && problem?.code === "bond-over";
  if (!proved) dropBond(bond);
  return { text, problem, proved, isOver, device: bond.device };
}
