/** Something that the palette can do. */
export interface Command {
  id: string;
  title: string;
  /** The heading it stands under. */
  group: string;
  /** The shortcut that does the same, as it is shown: `Ctrl+Shift+P`. */
  keys?: string;
  /** More to find it by, and shown beside its title. */
  detail?: string;
  run(): void;
}

const providers = new Set<() => Command[]>();

/** Adds commands for as long as a view is shown. Call the returned function to remove them. */
export function provideCommands(commands: () => Command[]): () => void {
  providers.add(commands);
  return () => providers.delete(commands);
}

/** All commands as they are now; those of the view that came last stand first. */
export function allCommands(): Command[] {
  return [...providers].reverse().flatMap((provide) => provide());
}
