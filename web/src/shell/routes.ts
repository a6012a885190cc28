/** Where in the UI the person is. Kept in the address behind `#`, so that the server need not know of it. */
export type Route =
  | { name: "home" }
  /** `worker` is the one whose entry is meant. */
  | { name: "inbox"; worker?: string }
  | { name: "wall" }
  | { name: "board"; task?: string }
  | { name: "session"; session: string; worker?: string }
  | { name: "past"; worker: string; at?: number }
  | { name: "search"; query: string }
  | { name: "usage" }
  | { name: "settings" };

/** The route that an address means. What means nothing leads home. */
export function parse(hash: string): Route {
  const [path = "", search = ""] = hash.replace(/^#/, "").split("?", 2);
  const [name, first, second] = path.split("/").filter(Boolean).map(decoded);
  const query = new URLSearchParams(search);
  switch (name) {
    case "wall":
      return { name };
    case "inbox":
      return first ? { name, worker: first } : { name };
    case "board":
      return first ? { name, task: first } : { name };
    case "session":
      if (!first) return { name: "home" };
      return second ? { name, session: first, worker: second } : { name, session: first };
    case "past": {
      if (!first) return { name: "home" };
      const at = query.get("at");
      return at !== null && /^\d+$/.test(at)
        ? { name, worker: first, at: Number(at) }
        : { name, worker: first };
    }
    case "search":
      return { name, query: query.get("q") ?? "" };
    case "usage":
    case "settings":
      return { name };
    default:
      return { name: "home" };
  }
}

/** The address of a route. */
export function href(route: Route): string {
  switch (route.name) {
    case "home":
      return "#/";
    case "wall":
    case "usage":
    case "settings":
      return `#/${route.name}`;
    case "inbox":
      return route.worker ? `#/inbox/${encodeURIComponent(route.worker)}` : "#/inbox";
    case "board":
      return route.task ? `#/board/${encodeURIComponent(route.task)}` : "#/board";
    case "session": {
      const session = `#/session/${encodeURIComponent(route.session)}`;
      return route.worker ? `${session}/${encodeURIComponent(route.worker)}` : session;
    }
    case "past": {
      const past = `#/past/${encodeURIComponent(route.worker)}`;
      return route.at === undefined ? past : `${past}?at=${route.at}`;
    }
    case "search":
      return route.query ? `#/search?q=${encodeURIComponent(route.query)}` : "#/search";
  }
}

/** Whether two routes lead to the same view of the same thing, and differ in its details alone. */
export function inOneView(one: Route, other: Route): boolean {
  if (one.name === "session" && other.name === "session") return one.session === other.session;
  if (one.name === "past" && other.name === "past") return one.worker === other.worker;
  return one.name === other.name;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
