import { href, parse, type Route } from "./routes";

export type { Route } from "./routes";

class Router {
  #route = $state.raw<Route>(parse(location.hash));

  constructor() {
    addEventListener("hashchange", () => this.#follow());
  }

  get route(): Route {
    return this.#route;
  }

  href(route: Route): string {
    return href(route);
  }

  go(route: Route): void {
    if (href(route) !== location.hash) location.hash = href(route);
    this.#follow();
  }

  /** Goes on without a step back to where we were: for what changes while one stays in a view. */
  replace(route: Route): void {
    history.replaceState(history.state, "", href(route));
    this.#follow();
  }

  #follow(): void {
    const next = parse(location.hash);
    if (href(next) !== href(this.#route)) this.#route = next;
  }
}

export const router = new Router();
