/** Pasted or dropped files: which of them a worker can get, and why the others are refused. */

import { quotedPath } from "./paste";

/** As much as the server takes. */
export const MOST_FILE_BYTES = 10 * 1024 * 1024;

/** Pictures that the server looks at, to see that they are what they are said to be. Others go as plain files. */
const PICTURES = ["image/png", "image/jpeg", "image/gif", "image/webp"];

export interface Given {
  readonly files: readonly File[];
  /** What is said about things that cannot be given. */
  readonly refused: readonly string[];
}

/** What is in a paste or a drop. To be called while that is going on: the browser forgets it afterwards. */
export function given(data: DataTransfer | null): Given {
  const files: File[] = [];
  const refused: string[] = [];
  for (const item of data?.items ?? []) {
    if (item.kind !== "file") continue;
    // A directory comes as a file that cannot be read.
    const isDirectory = item.webkitGetAsEntry?.()?.isDirectory === true;
    const file = item.getAsFile();
    const name = file?.name ?? item.webkitGetAsEntry?.()?.name ?? "";
    if (isDirectory) refused.push(`“${name}” is a directory. Drop the files in it, or one archive of it.`);
    else if (file && file.size > MOST_FILE_BYTES) refused.push(tooLarge(file));
    else if (file) files.push(file);
  }
  return { files, refused };
}

/** The type of a file that the page sends to the server. */
export function typeOf(file: Blob): string {
  return PICTURES.includes(file.type) ? file.type : "application/octet-stream";
}

/** Whether a pasted text is no more than the names of the files that are pasted with it, as file managers have it. */
export function namesOnly(text: string, files: readonly File[]): boolean {
  const lines = text.split(/[\r\n]+/).filter((line) => line !== "");
  return (
    files.length > 0 &&
    lines.every((line) => files.some(({ name }) => line === name || line.endsWith(`/${name}`)))
  );
}

/** What is typed to give a program a file. */
export function typedPath(path: string): string {
  return `${quotedPath(path)} `;
}

function tooLarge({ name, size }: File): string {
  const mebibytes = (bytes: number) => `${Math.ceil(bytes / 1024 / 1024)} MiB`;
  return `“${name}” has ${mebibytes(size)}, but a file may have at most ${mebibytes(MOST_FILE_BYTES)} here. Copy it into the worker's directory instead.`;
}
