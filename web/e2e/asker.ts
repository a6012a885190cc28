/** A stand-in for an agent that asks, works and ends by keys; it draws as agents do, and says nothing of itself. */

import type { Activity, Worker } from "../src/api/client";
import { eventually } from "./browser";
import type { FakeAgent, House } from "./house";

/**
 * The prompt's lines after the first say which keys it presses itself at the start: `keys: a`. Its answers are in the file
 * `answers` in the home directory, a line each.
 *
 * - `a` asks for a permission, `A` for one with three choices; `b` asks for one and then for another one; `c` asks which of
 *   three; `y` asks on a line. Numbers, arrows and Enter answer.
 * - `w` works until `.`, then it has finished its turn. `x` exits with 3, `q` with 0.
 */
const ASKER = `
stty raw -echo
task=\${1%%$'\\n'*}
auto=$(printf '%s\\n' "$1" | sed -n 's/^keys: //p')
line='────────────────────────────────────────'
key() { if [ -n "$auto" ]; then k=\${auto:0:1}; auto=\${auto:1}; else IFS= read -r -N 1 -d '' k; fi; }
head() { printf '\\033]0;%s\\007\\033[2J\\033[H\\033[38;5;173m✻\\033[0m \\033[1mStand-in\\033[0m\\r\\n\\033[90m> %s\\033[0m\\r\\n\\r\\n' "$task" "$task"; }
idle() { head; printf '\\033[32m●\\033[0m %s\\r\\n\\r\\n%s\\r\\n❯ ' "\${1:-Ready.}" "$line"; printf '\\0337\\r\\n%s\\r\\n  ? for help\\0338' "$line"; }
work() { head; printf '\\033[32m●\\033[0m Read src/price.js\\r\\n\\033[32m●\\033[0m Update src/price.js: 11 additions, 4 removals\\r\\n\\r\\n✻ Pondering… (3s · esc to interrupt)\\r\\n\\r\\n%s\\r\\n❯ \\r\\n%s' "$line" "$line"; }
dialog() {
    head; printf '%s\\r\\n %s\\r\\n\\r\\n %s\\r\\n' "$line" "$what" "$question"
    n=0
    for choice in "$@"; do n=$((n + 1)); if [ $n = $at ]; then m='❯'; else m=' '; fi; printf ' %s %d. %s\\r\\n' "$m" $n "$choice"; done
    printf '\\r\\n Enter to select · Esc to cancel'
}
ask() {
    what=$1; question=$2; shift 2; at=1
    while :; do
        dialog "$@"; key
        case "$k" in
            [1-9]) [ "$k" -le $# ] && { chosen=$k; break; };;
            $'\\r'|$'\\n') chosen=$at; break;;
            $'\\033') key; key; case "$k" in B) [ $at -lt $# ] && at=$((at + 1));; A) [ $at -gt 1 ] && at=$((at - 1));; esac;;
        esac
    done
    printf '%s: %s\\n' "$what" "\${!chosen}" >>"$HOME/answers"
}
may() { ask "$1" 'Do you want to proceed?' Yes No; }
idle
while :; do
    key
    case "$k" in
        a) may "npm test"; work; sleep 0.5; idle 'All 42 tests pass.';;
        A) ask "npm install left-pad" 'Do you want to proceed?' Yes "Yes, and don't ask again for npm install" "No, and tell it what to do"; idle;;
        b) may "rm -rf target"; may "git push --force"; idle;;
        c) ask "Where shall sessions be kept?" 'Which one do you want?' Postgres SQLite Memory; idle;;
        y) printf '\\033[2J\\033[HName of the branch? (y/n) '; stty sane; read -r answer; stty raw -echo; printf 'line: %s\\n' "$answer" >>"$HOME/answers"; idle;;
        w) work; while :; do key; [ "$k" = . ] && break; done; idle 'The prices are whole cents now.';;
        x) exit 3;;
        q) exit 0;;
    esac
done`;

export const STAND_IN: FakeAgent = {
  id: "standin",
  name: "Stand-in",
  script: ASKER,
  more: "work-is-shown = true",
};

interface Task {
  readonly id: string;
  readonly sessionId?: string;
  readonly workerId?: string;
}

export interface Working {
  readonly task: string;
  readonly session: string;
  readonly worker: string;
}

/** Starts a task with the stand-in. `keys` are those that it presses itself. */
export async function startTask(
  house: House,
  repository: string,
  title: string,
  keys = "",
  agentId = STAND_IN.id,
): Promise<Working> {
  const wanted = { projectId: repository, title, agentId, ...(keys && { description: `keys: ${keys}` }) };
  const { id } = await house.api<Task>("POST", "/api/tasks", wanted);
  await house.api("POST", `/api/tasks/${id}/activate`, {});
  await house.api("POST", `/api/tasks/${id}/session/start`, {});
  for (const end = Date.now() + 20_000; Date.now() < end; ) {
    const { sessionId, workerId } = await house.api<Task>("GET", `/api/tasks/${id}`);
    if (sessionId && workerId) return { task: id, session: sessionId, worker: workerId };
    await new Promise((soon) => setTimeout(soon, 50));
  }
  throw new Error(`the task “${title}” does not start`);
}

/** Presses keys in a worker's terminal, as a person at the desk does. */
export async function press(house: House, { worker }: Working, keys: string): Promise<void> {
  await house.abide("send", worker, "--", keys);
}

/** What the stand-ins were answered, in the order of the answers. */
export async function answered(house: House): Promise<string[]> {
  return (await house.wrote("home/answers")).split("\n").filter(Boolean);
}

/** Waits until the server knows that a worker does this. */
export async function isDoing(house: House, { worker }: Working, activity: Activity): Promise<void> {
  const doing = async () => (await house.api<Worker>("GET", `/api/workers/${worker}`)).activity;
  await eventually(doing).toBe(activity);
}
