/**
 * This browser as the server knows it: the keys that it signed in with, and the server's public key. The browser keeps
 * the keys for our origin and lets no script read the private one.
 */

import type { Bytes } from "./proof";

export interface Device {
  /** Its id, also the id of its token. */
  readonly id: string;
  readonly keys: CryptoKeyPair;
  /** The server's public key. The page accepts no other. */
  readonly server: Bytes;
}

/** Says to the other tabs which device this browser is. It is no secret. */
const MARK = "abide.device";
/** Where earlier releases kept a secret. */
const OLD = ["abide.token", "abide.token.id"];
const DATABASE = "abide";
const STORE = "devices";
const PLACE = "this";

let current: Device | undefined;
let kept = true;
let wasUpgraded = false;
const listeners = new Set<() => void>();

/** The device of this browser, if it is signed in. */
export function device(): Device | undefined {
  return current;
}

/** Whether the browser keeps the device when the page is reloaded. Some private windows do not. */
export function isKept(): boolean {
  return kept;
}

/** Whether this browser was signed in with a secret, as in earlier releases. */
export function isUpgraded(): boolean {
  return wasUpgraded;
}

/** Reads what the browser keeps. A secret of an earlier release is removed, and never sent. */
export async function loadDevice(): Promise<void> {
  for (const name of OLD) {
    if (localStorage.getItem(name) !== null) wasUpgraded = true;
    localStorage.removeItem(name);
  }
  // What is in memory only is all that there is.
  if (!kept && current) return;
  try {
    current = await withStore<Device | undefined>("readonly", (store) => store.get(PLACE));
  } catch {
    kept = false;
  }
}

export async function keepDevice(made: Device): Promise<void> {
  current = made;
  try {
    await withStore("readwrite", (store) => store.put(made, PLACE));
    kept = true;
  } catch {
    kept = false;
  }
  localStorage.setItem(MARK, made.id);
}

/**
 * Forgets a device, this one if none is named: the server does not let it in any more. A browser that has signed in anew
 * since, in this tab or in another one, stays signed in.
 */
export function signedOut(id: string | undefined = current?.id): void {
  if (current?.id !== id) return;
  current = undefined;
  if (localStorage.getItem(MARK) === id) localStorage.removeItem(MARK);
  if (id !== undefined) forget(id).catch(() => undefined);
  for (const listener of listeners) listener();
}

/** Another tab may have kept another device meanwhile. */
function forget(id: string): Promise<unknown> {
  return withStore("readwrite", (store) => {
    const kept: IDBRequest<Device | undefined> = store.get(PLACE);
    kept.onsuccess = () => {
      if (kept.result?.id === id) store.delete(PLACE);
    };
    return kept;
  });
}

export function onSignedOut(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Whether a change of the browser's storage, made by another tab, is about the device. */
export function isAboutDevice(key: string | null): boolean {
  return key === MARK;
}

function withStore<T>(mode: IDBTransactionMode, ask: (store: IDBObjectStore) => IDBRequest): Promise<T> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(DATABASE, 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore(STORE);
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const database = opening.result;
      try {
        const transaction = database.transaction(STORE, mode);
        const asked = ask(transaction.objectStore(STORE));
        transaction.oncomplete = () => resolve(asked.result as T);
        transaction.onabort = () => reject(transaction.error);
      } catch (error) {
        reject(error);
      } finally {
        // It closes when its transaction is over.
        database.close();
      }
    };
  });
}
