import { api, keepToken, type Schemas } from "./client";

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

/** Hands in a one-time code and keeps the token that it is worth. */
export async function signIn(code: string): Promise<void> {
  const made = await api.post<Schemas["NewToken"]>("/api/auth/exchange", { code });
  keepToken(made.secret, made.token.id);
}
