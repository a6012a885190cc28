import { describe, expect, it } from "vitest";

import { given, MOST_FILE_BYTES, namesOnly, typeOf } from "./files";

/** A drop as browsers hand it over: only as much of it as is looked at. */
function drop(...things: (File | { directory: string } | string)[]): DataTransfer {
  const items = things.map((thing) => {
    if (typeof thing === "string") return { kind: "string" };
    if (thing instanceof File)
      return { kind: "file", getAsFile: () => thing, webkitGetAsEntry: () => ({ isDirectory: false }) };
    const file = new File([], thing.directory);
    return { kind: "file", getAsFile: () => file, webkitGetAsEntry: () => ({ isDirectory: true }) };
  });
  return { items } as unknown as DataTransfer;
}

describe("dropped data", () => {
  const notes = new File(["x"], "notes.md", { type: "text/markdown" });
  const picture = new File(["x"], "a.png", { type: "image/png" });

  it("is accepted with any number of files", () => {
    expect(given(drop(notes, "text", picture))).toEqual({ files: [notes, picture], refused: [] });
    expect(given(null)).toEqual({ files: [], refused: [] });
  });

  it("is refused with a reason if it is a directory or too large, and the rest is accepted", () => {
    const large = new File(["x"], "film.mp4");
    Object.defineProperty(large, "size", { value: MOST_FILE_BYTES + 1 });
    const { files, refused } = given(drop({ directory: "src" }, large, notes));
    expect(files).toEqual([notes]);
    expect(refused).toEqual([
      expect.stringContaining("“src” is a directory"),
      expect.stringContaining("“film.mp4” has 11 MiB, but a file may have at most 10 MiB"),
    ]);
  });

  it("counts as a picture if the server knows that type, and as a file otherwise", () => {
    const types = ["image/png", "image/svg+xml", "text/html", ""];
    expect(types.map((type) => typeOf(new Blob([], { type })))).toEqual([
      "image/png",
      "application/octet-stream",
      "application/octet-stream",
      "application/octet-stream",
    ]);
  });

  it("is a file, not its name, when a file manager copied it", () => {
    expect(namesOnly("notes.md", [notes])).toBe(true);
    expect(namesOnly("/home/me/notes.md\r\n/home/me/a.png\n", [notes, picture])).toBe(true);
    expect(namesOnly("", [picture])).toBe(true);
    expect(namesOnly("a table\tof numbers", [picture])).toBe(false);
    expect(namesOnly("notes.md", [])).toBe(false);
  });
});
