/** What is pasted, as a terminal is given it. */

/**
 * Characters that are pasted at once. A host keeps a mebibyte for a program that does not read, takes each message whole or
 * not at all, and a paste is many: within this none of them is refused.
 */
export const MOST_PASTED = 256 * 1024;

/** Whether a paste could run something: it has several lines, and the program does not know that it is pasted. */
export function needsWarning(text: string, bracketed: boolean): boolean {
  return !bracketed && /[\r\n]./s.test(text.replaceAll("\r\n", "\n"));
}

export function lineCount(text: string): number {
  return text.replace(/(\r\n|\r|\n)$/, "").split(/\r\n|\r|\n/).length;
}

/**
 * The bytes of a paste as text: lines end as Enter does, and nothing in it can end the brackets early or press a key.
 * Pasted text comes from anywhere.
 */
export function pasted(text: string, bracketed: boolean): string {
  const plain = text
    .replaceAll(/\r\n|\n/g, "\r")
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
    .replaceAll(/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x9f]/g, "");
  return bracketed ? `\x1b[200~${plain}\x1b[201~` : plain;
}

/** A path as a shell, and most agents, take it. */
export function quotedPath(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
