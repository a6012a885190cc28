/** The bytes that a base64 text stands for. */
export function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}
