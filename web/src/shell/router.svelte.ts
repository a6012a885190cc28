import { href, inOneView, parse, type Route } from "./routes";

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

  /**
   * Changes the address while the person stays in a view, without a step back to where they were.
   *
   * Does nothing once the person has left for another view. The address decides that: a new one is there before the
   * browser tells of it, and a timer of the old view can run in between.
   */
  replace(route: Route): void {
    if (inOneView(parse(location.hash), route)) history.replaceState(history.state, "", href(route));
    this.#follow();
  }

  #follow(): void {
    const next = parse(location.hash);
    if (href(next) !== href(this.#route)) this.#route = next;
  }
}

export const router = new Router();
