import { dashboard } from "../dashboard/dashboard.svelte";
import { sessionName } from "../dashboard/names";
import { workers } from "../past/workers.svelte";
import type { Route } from "./routes";

/** What the place where one is is called; undefined at home. */
export function placeName(route: Route): string | undefined {
  switch (route.name) {
    case "home":
      return undefined;
    case "wall":
      return "Wall";
    case "board":
      return "Board";
    case "search":
      return route.query ? `Search: ${route.query}` : "Search";
    case "settings":
      return "Settings";
    case "past": {
      const worker = workers.get(route.worker);
      return worker ? `Past of ${worker.name}` : "Past";
    }
    case "session": {
      const session = dashboard.session(route.session);
      return session ? sessionName(session) : "Session";
    }
  }
}
