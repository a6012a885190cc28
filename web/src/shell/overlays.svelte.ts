/** What lies over the view, if anything: one at a time. */
export type Overlay =
  | { kind: "palette" }
  | { kind: "help" }
  | { kind: "explain"; worker: string }
  | { kind: "prompt"; worker: string }
  | { kind: "new"; directory?: string };

let current = $state.raw<Overlay | undefined>(undefined);

export const overlays = {
  get current(): Overlay | undefined {
    return current;
  },
  open(overlay: Overlay): void {
    current = overlay;
  },
  close(): void {
    current = undefined;
  },
};
