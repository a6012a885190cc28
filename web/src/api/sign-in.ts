import { authority, field, post, stranger } from "./bonds";
import { keepDevice } from "./device";
import { ApiProblem, problemFrom } from "./problem";
import { CodeKey, fromText, newDeviceKeys, publicKeyOf, randomBytes, toText } from "./proof";
import type { components } from "./schema";

/** The code in what a person pasted: a whole link, or the code itself. */
export function codeFrom(pasted: string): string {
  const text = pasted.trim();
  const at = text.lastIndexOf("#");
  return at < 0 ? text : text.slice(at + 1).trim();
}

/** The code in a link that was opened. Our own routes begin with a slash, a code never does. */
export function codeInHash(hash: string): string | undefined {
  const text = hash.replace(/^#/, "");
  return text === "" || text.startsWith("/") ? undefined : text;
}

/**
 * Signs this browser in with a one-time code. The code stays here: each side shows the other that it knows the code.
 * From then on the browser has a key that the server knows, and knows the server's key.
 */
export async function signIn(code: string): Promise<void> {
  if (!globalThis.crypto?.subtle) {
    throw new ApiProblem({
      code: "strange-answer",
      message: "this browser has no keys for pages at this address",
      hint: "open abide under http://abide.localhost, http://localhost or http://127.0.0.1, with its port",
      status: 0,
    });
  }
  const [known, keys] = await Promise.all([CodeKey.of(code), newDeviceKeys()]);
  const wanted = { authority: authority(), key: await publicKeyOf(keys), nonce: randomBytes() };
  const asked: components["schemas"]["RegisterDevice"] = {
    code: toText(known.id),
    key: toText(wanted.key),
    nonce: toText(wanted.nonce),
    authority: wanted.authority,
    mac: toText(await known.byPage(wanted)),
  };
  const { ok, status, body } = await post("/api/auth/devices", asked);
  if (!ok) throw problemFrom(status, body);
  const id = field(field(body, "token"), "id");
  const server = fromText(field(body, "serverKey"));
  const mac = fromText(field(body, "mac"));
  if (typeof id !== "string" || !server || !mac || !(await known.isByServer(wanted, server, id, mac)))
    throw stranger();
  await keepDevice({ id, keys, server });
}
