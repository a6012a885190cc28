export interface Confirm {
  title: string;
  text: string;
  /** What the button says that does it: a verb. */
  action: string;
  danger?: boolean;
  /** What a second button says, that does more, or less: a verb. */
  other?: string;
}

export interface Ask {
  title: string;
  label: string;
  value?: string;
  text?: string;
  action?: string;
  placeholder?: string;
  /** Does it with the answer. If that fails, the dialog says why and keeps what was typed. */
  attempt?(answer: string): Promise<unknown>;
}

/** Which button was pressed; none when the person thought better of it. */
export type Chosen = "action" | "other" | undefined;

export type OpenDialog =
  | ({ kind: "confirm"; answer(chosen: Chosen): void } & Confirm)
  | ({ kind: "ask"; answer(text: string | undefined): void } & Ask);

let waiting = $state.raw<readonly OpenDialog[]>([]);

export const dialogs = {
  /** The one that is shown; others wait for it. */
  get current(): OpenDialog | undefined {
    return waiting[0];
  },
};

function show<T>(make: (answer: (value: T) => void) => OpenDialog): Promise<T> {
  return new Promise((resolve) => {
    const dialog = make((value) => {
      waiting = waiting.filter((each) => each !== dialog);
      resolve(value);
    });
    waiting = [...waiting, dialog];
  });
}

/** Asks whether something shall really be done. */
export async function confirm(question: Confirm): Promise<boolean> {
  return (await choose(question)) === "action";
}

/** Asks which of two things shall really be done. */
export function choose(question: Confirm): Promise<Chosen> {
  return show<Chosen>((answer) => ({ kind: "confirm", answer, ...question }));
}

/** Asks for a line of text; undefined when the person thought better of it. */
export function ask(question: Ask): Promise<string | undefined> {
  return show<string | undefined>((answer) => ({ kind: "ask", answer, ...question }));
}
