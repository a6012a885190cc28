/**
 * How this page and the server prove to each other who they are. `docs/api.md` describes the protocol; the Rust side
 * is the crate `proof`, and a fixture of a whole conversation keeps the two equal.
 */

export type Bytes = Uint8Array<ArrayBuffer>;

const CURVE = { namedCurve: "P-256" } as const;
const ECDSA = { name: "ECDSA", ...CURVE } as const;
const ECDH = { name: "ECDH", ...CURVE } as const;
const SIGNATURE = { name: "ECDSA", hash: "SHA-256" } as const;
const HMAC = { name: "HMAC", hash: "SHA-256", length: 256 } as const;
const NOTHING: Bytes = new Uint8Array(0);

const encoder = new TextEncoder();

export const utf8 = (text: string): Bytes => encoder.encode(text);

/** Base64 with `-` and `_` and without `=`. */
export function toText(bytes: Uint8Array): string {
  const plain = btoa(String.fromCharCode(...bytes));
  return plain.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The bytes of such a text; none if it is not one. */
export function fromText(text: unknown): Bytes | undefined {
  if (typeof text !== "string" || !/^[\w-]*$/.test(text)) return undefined;
  try {
    return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (each) =>
      each.charCodeAt(0),
    );
  } catch {
    return undefined;
  }
}

export const randomBytes = (): Bytes => crypto.getRandomValues(new Uint8Array(32));

/** A label and some fields, each with its length before it, so that two different lists never give the same bytes. */
function fields(label: string, parts: readonly Bytes[]): Bytes {
  const all = [utf8(label), ...parts];
  const bytes = new Uint8Array(all.reduce((sum, part) => sum + 4 + part.length, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const part of all) {
    view.setUint32(at, part.length);
    bytes.set(part, at + 4);
    at += 4 + part.length;
  }
  return bytes;
}

function bigEndian(value: number, bytes: 2 | 8): Bytes {
  const view = new DataView(new ArrayBuffer(bytes));
  if (bytes === 8) view.setBigUint64(0, BigInt(value));
  else view.setUint16(0, value);
  return new Uint8Array(view.buffer);
}

async function derive(secret: Bytes, salt: Bytes, info: string, bytes: number): Promise<Bytes> {
  const key = await crypto.subtle.importKey("raw", secret, "HKDF", false, ["deriveBits"]);
  const how = { name: "HKDF", hash: "SHA-256", salt, info: utf8(info) };
  return new Uint8Array(await crypto.subtle.deriveBits(how, key, 8 * bytes));
}

const hmacKey = (bytes: Bytes): Promise<CryptoKey> =>
  crypto.subtle.importKey("raw", bytes, HMAC, false, ["sign", "verify"]);

const rawOf = async (key: CryptoKey): Promise<Bytes> =>
  new Uint8Array(await crypto.subtle.exportKey("raw", key));

export const publicKeyOf = (keys: CryptoKeyPair): Promise<Bytes> => rawOf(keys.publicKey);

/** The keys of this browser. No script can read the private one, not even ours. */
export const newDeviceKeys = (): Promise<CryptoKeyPair> =>
  crypto.subtle.generateKey(ECDSA, false, ["sign", "verify"]);

/** What both sides make of a one-time code, which itself stays here. */
export class CodeKey {
  readonly id: Bytes;
  readonly #key: CryptoKey;

  private constructor(id: Bytes, key: CryptoKey) {
    this.id = id;
    this.#key = key;
  }

  static async of(code: string): Promise<CodeKey> {
    const id = await derive(utf8(code), NOTHING, "abide code id", 16);
    return new CodeKey(id, await hmacKey(await derive(utf8(code), NOTHING, "abide code key", 32)));
  }

  /** Shows that this page knows the code. */
  async byPage(signIn: SignIn): Promise<Bytes> {
    const bytes = fields("abide sign-in page", this.#parts(signIn));
    return new Uint8Array(await crypto.subtle.sign("HMAC", this.#key, bytes));
  }

  /** Whether the server knows it too, and says that this is its key, and this the device's id. */
  isByServer(signIn: SignIn, server: Bytes, device: string, mac: Bytes): Promise<boolean> {
    const bytes = fields("abide sign-in server", [...this.#parts(signIn), server, utf8(device)]);
    return crypto.subtle.verify("HMAC", this.#key, mac, bytes);
  }

  #parts({ authority, key, nonce }: SignIn): Bytes[] {
    return [utf8(authority), this.id, key, nonce];
  }
}

export interface SignIn {
  readonly authority: string;
  readonly key: Bytes;
  readonly nonce: Bytes;
}

export interface HelloFields {
  readonly device: string;
  readonly authority: string;
  readonly nonce: Bytes;
}

/** What the server said to a hello. */
export interface HelloAnswer {
  readonly key: Bytes;
  readonly stamp: number;
  readonly signature: Bytes;
}

/** A hello, with keys that are used for it alone. */
export class Hello {
  readonly fields: HelloFields;
  readonly key: Bytes;
  readonly #own: CryptoKey;

  private constructor(given: HelloFields, key: Bytes, own: CryptoKey) {
    this.fields = given;
    this.key = key;
    this.#own = own;
  }

  static async begin(given: HelloFields, keys?: CryptoKeyPair): Promise<Hello> {
    const own = keys ?? (await crypto.subtle.generateKey(ECDH, false, ["deriveBits"]));
    return new Hello(given, await publicKeyOf(own), own.privateKey);
  }

  /** Whether the server with this key has signed this answer to this hello. */
  async isByServer(server: Bytes, answer: HelloAnswer): Promise<boolean> {
    try {
      const key = await crypto.subtle.importKey("raw", server, ECDSA, false, ["verify"]);
      const bytes = this.#fields("abide hello server", server, answer);
      return await crypto.subtle.verify(SIGNATURE, key, answer.signature, bytes);
    } catch {
      return false;
    }
  }

  /** This device's signature. Call it only after the server's was right. */
  async sign(server: Bytes, answer: HelloAnswer, device: CryptoKey): Promise<Bytes> {
    const bytes = this.#fields("abide hello page", server, answer);
    return new Uint8Array(await crypto.subtle.sign(SIGNATURE, device, bytes));
  }

  /** What this page shares with the server from now on. */
  async bond(server: Bytes, answer: HelloAnswer): Promise<Bond> {
    const key = await crypto.subtle.importKey("raw", answer.key, ECDH, false, []);
    const shared = await crypto.subtle.deriveBits({ name: "ECDH", public: key }, this.#own, 256);
    const said = this.#fields("abide bond", server, answer);
    const derived = (info: string, bytes: number) => derive(new Uint8Array(shared), said, info, bytes);
    const id = await derived("abide bond id", 16);
    return new Bond(this.fields.device, id, await hmacKey(await derived("abide bond key", 32)));
  }

  #fields(label: string, server: Bytes, { key, stamp }: HelloAnswer): Bytes {
    const { authority, device, nonce } = this.fields;
    const parts = [utf8(authority), utf8(device), server, this.key, nonce, key, bigEndian(stamp, 8)];
    return fields(label, parts);
  }
}

export interface BoundRequest {
  readonly method: string;
  /** The path with the query. */
  readonly target: string;
  /** The content type; empty if there is no body. */
  readonly kind: string;
  readonly body: Bytes;
}

export interface SocketChallenge {
  readonly target: string;
  readonly byServer: Bytes;
  readonly byPage: Bytes;
}

/** A key that this page and the server share, only in memory. */
export class Bond {
  /** The device that it was made for. */
  readonly device: string;
  readonly id: string;
  readonly #id: Bytes;
  readonly #key: CryptoKey;
  #next = 0;

  constructor(device: string, id: Bytes, key: CryptoKey) {
    this.device = device;
    this.id = toText(id);
    this.#id = id;
    this.#key = key;
  }

  /** Binds a request: its number, and the header to send with it. */
  async request(
    { method, target, kind, body }: BoundRequest,
    count = this.#next++,
  ): Promise<{ readonly count: number; readonly authorization: string }> {
    const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", body));
    const parts = [bigEndian(count, 8), utf8(method), utf8(target), utf8(kind), hash];
    const mac = await this.#mac("abide request", parts);
    return { count, authorization: `Abide-Bond ${this.id}.${count}.${toText(hash)}.${toText(mac)}` };
  }

  /** Whether an answer is the server's, to the request with this number. */
  isAnswer(count: number, status: number, proof: string | null): Promise<boolean> {
    return this.#is("abide answer", [bigEndian(count, 8), bigEndian(status, 2)], fromText(proof));
  }

  /** Whether the server has opened the bond. */
  isOpened(mac: Bytes | undefined): Promise<boolean> {
    return this.#is("abide bond opened", [], mac);
  }

  /** Answers a socket's challenge. */
  async socketByPage(challenge: SocketChallenge): Promise<string> {
    return toText(await this.#mac("abide socket page", partsOf(challenge)));
  }

  /** Whether the server has answered ours. */
  isSocketByServer(challenge: SocketChallenge, mac: Bytes | undefined): Promise<boolean> {
    return this.#is("abide socket server", partsOf(challenge), mac);
  }

  async #mac(label: string, parts: readonly Bytes[]): Promise<Bytes> {
    return new Uint8Array(await crypto.subtle.sign("HMAC", this.#key, fields(label, [this.#id, ...parts])));
  }

  async #is(label: string, parts: readonly Bytes[], mac: Bytes | undefined): Promise<boolean> {
    if (mac === undefined) return false;
    return crypto.subtle.verify("HMAC", this.#key, mac, fields(label, [this.#id, ...parts]));
  }
}

function partsOf({ target, byServer, byPage }: SocketChallenge): Bytes[] {
  return [utf8(target), byServer, byPage];
}
