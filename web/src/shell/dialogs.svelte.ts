export interface Confirm {
  title: string;
  text: string;
  /** What the button says that does it: a verb. */
  action: string;
  danger?: boolean;
}

export interface Ask {
  title: string;
  label: string;
  value?: string;
  text?: string;
  action?: string;
  placeholder?: string;
}

export type OpenDialog =
  | ({ kind: "confirm"; answer(yes: boolean): void } & Confirm)
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
export function confirm(question: Confirm): Promise<boolean> {
  return show<boolean>((answer) => ({ kind: "confirm", answer, ...question }));
}

/** Asks for a line of text; undefined when the person thought better of it. */
export function ask(question: Ask): Promise<string | undefined> {
  return show<string | undefined>((answer) => ({ kind: "ask", answer, ...question }));
}
