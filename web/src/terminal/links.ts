/** Where links in a terminal may lead. Any program in it can write one, with any text over any target. */

export type Leads =
  /** To a page: opened in a tab that knows nothing of this one. */
  | { readonly kind: "page"; readonly url: string }
  /** To a letter, in another program: the person is asked first. */
  | { readonly kind: "odd"; readonly url: string }
  /** Nowhere that a terminal may lead. */
  | { readonly kind: "nowhere" };

const PAGES = new Set(["http:", "https:"]);
/** What opens something else that a person expects. Every other scheme may start a program with arguments. */
const ODD = new Set(["mailto:"]);

export function leads(target: string): Leads {
  let url: URL;
  try {
    url = new URL(target);
  } catch {
    return { kind: "nowhere" };
  }
  if (PAGES.has(url.protocol)) return { kind: "page", url: url.href };
  return ODD.has(url.protocol) ? { kind: "odd", url: url.href } : { kind: "nowhere" };
}

/** A target as it is shown: what would hide where it leads is made visible, and it is not endless. */
export function readable(target: string): string {
  const plain = target.replaceAll(/[\p{C}\p{Z}]/gu, (hidden) => encodeURIComponent(hidden));
  return plain.length > 300 ? `${plain.slice(0, 299)}…` : plain;
}
