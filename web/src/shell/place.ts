import { dashboard } from "../dashboard/dashboard.svelte";
import { fullName, sessionTitle } from "../dashboard/names";
import { workers } from "../past/workers.svelte";
import type { Route } from "./routes";

/** What the place where one is is called; undefined at home. */
export function placeName(route: Route): string | undefined {
  switch (route.name) {
    case "home":
      return undefined;
    case "inbox":
      return "Inbox";
    case "wall":
      return "Wall";
    case "board":
      return "Board";
    case "search":
      return route.query ? `Search: ${route.query}` : "Search";
    case "usage":
      return "Usage";
    case "settings":
      return "Settings";
    case "past": {
      const worker = workers.get(route.worker);
      return worker ? `Past of ${fullName(worker)}` : "Past";
    }
    case "session": {
      const session = dashboard.session(route.session);
      return session ? sessionTitle(session) : "Session";
    }
  }
}
