/** A believable afternoon: what the pictures of the documents show. Nothing in it is real but the programs that draw. */

import type { FakeAgent, House } from "./house";

const CART = `import { sum } from "./price";

/** What is in a cart, and what it costs. */
export class Cart {
  constructor() {
    this.lines = [];
  }

  /** More of the same is one line. */
  add(product, price, count = 1) {
    const same = this.lines.find((line) => line.product === product);
    if (same) {
      same.count += count;
    } else {
      this.lines.push({ product, price, count });
    }
  }

  get total() {
    return sum(this.lines.map((line) => line.price * line.count));
  }

  /** Carts are kept for thirty days after the last visit. */
  isStale(now, lastVisit) {
    const days = (now - lastVisit) / (24 * 60 * 60 * 1000);
    return days > 30;
  }
}
`;

const SAY = `say() { printf '\\033]7501;%s\\033\\\\' "$1"; }
b() { printf '%s' "$1" | base64 -w0; }
dot() { printf '\\033[32m●\\033[0m \\033[1m%s\\033[0m(%s)\\n  \\033[90m⎿  %s\\033[0m\\n\\n' "$1" "$2" "$3"; }
greet() { printf '\\033[38;5;173m✻\\033[0m \\033[1mWelcome back\\033[0m\\n  \\033[90m%s\\033[0m\\n\\n\\033[90m>\\033[0m %s\\n\\n' "~/shop" "$1"; }
`;

/** Draws itself anew for each size, as agents do. */
const WORKS = `${SAY}
printf '\\033]0;%s\\007' "\${1%%$'\\n'*}"; say state=working
line() { printf '     \\033[90m%d\\033[0m \\033[%sm%-*s\\033[0m\\n' "$1" "$2" $((wide - 9)) "$3"; }
draw() {
  printf '\\033[2J\\033[3J\\033[H'; greet "\${task%%$'\\n'*}"
  dot Read src/session/store.js 'Read 148 lines'
  dot Search '"new Map", src/session' 'Found 3 files'
  printf 'Sessions live in a \\033[36mMap\\033[0m in the server, so a\\nrestart signs everybody out. I will put them\\ninto the store, behind the same interface.\\n\\n'
  printf '\\033[32m●\\033[0m \\033[1mUpdate\\033[0m(src/session/store.js)\\n  \\033[90m⎿  3 additions, 1 removal\\033[0m\\n'
  line 41 0 '  export class Sessions {'
  line 42 '48;2;104;38;46;97' '-   all = new Map();'
  line 42 '48;2;30;86;52;97' '+   store = open("sessions");'
  line 43 '48;2;30;86;52;97' '+   recent = new Recent(1_000);'
  line 44 '48;2;30;86;52;97' '+'
  echo; dot Write tests/restart.test.js 'Wrote 62 lines'
  printf '\\033[38;5;173m✶ Killing the server in the test…\\033[0m \\033[90m(41s)\\033[0m\\n\\n\\033[90m'
  bar=$(printf '─%.0s' $(seq 3 $wide)); printf '╭%s╮\\n│\\033[0m > %*s\\033[90m│\\n╰%s╯\\033[0m' "$bar" $((wide - 5)) '' "$bar"
  printf '\\033[A\\033[%dD' $((wide - 4))
}
task=$1
while :; do
  size=$(stty size)
  if [ "$size" != "$drawn" ]; then drawn=$size; wide=\${size#* }; [ "$wide" -gt 96 ] && wide=96; draw; fi
  read -r -t 0.2 _
done`;

const ASKS = `${SAY}
printf '\\033]0;%s\\007' "\${1%%$'\\n'*}"; say state=working; greet "\${1%%$'\\n'*}"; sleep 0.3
dot Read src/price.js 'Read 73 lines'
dot Update src/price.js 'Updated with 11 additions and 4 removals'
printf 'Prices are whole cents now, and only shown with decimals.\\n\\n'
printf '\\033[90m╭──────────────────────────────────────────────────────────╮\\n│\\033[0m \\033[1mBash command\\033[0m                                             \\033[90m│\\n│                                                          │\\n│\\033[0m   npm test -- prices                                     \\033[90m│\\n│                                                          │\\n│\\033[0m Do you want to proceed?                                  \\033[90m│\\n│\\033[0m \\033[36m❯ 1. Yes\\033[0m                                                 \\033[90m│\\n│\\033[0m   2. No, and say what to do differently                  \\033[90m│\\n╰──────────────────────────────────────────────────────────╯\\033[0m\\n'
say "state=blocked:kind=permission:msg=$(b 'Run npm test -- prices?')"
read -r _`;

const ENDS = `${SAY}
say state=working; greet "\${1%%$'\\n'*}"; dot Update src/checkout.js 'Updated with 24 additions'; echo 'Done: delivery times are shown for every address.'; exit 0`;

export const AGENTS: readonly FakeAgent[] = [
  { id: "claude", name: "Claude Code", script: WORKS },
  { id: "codex", name: "Codex", script: ASKS },
  { id: "gemini", name: "Gemini", script: ENDS },
];

const PROMPT = `prompt() { printf '\\033]133;A\\007\\033[34m~/shop\\033[0m \\033[32m❯\\033[0m \\033]133;B\\007'; sleep 0.15; }
ran() { prompt; printf '%s\\r\\n\\033]133;C\\007' "$1"; sleep 0.1; }
ended() { printf '\\033]133;D;%d\\007' "$1"; sleep 0.3; }
`;

const TESTS = `${PROMPT}
ran 'git status --short'; printf ' \\033[31mM\\033[0m src/cart.js\\n \\033[31mM\\033[0m src/price.js\\n\\033[31m??\\033[0m tests/restart.test.js\\n'; ended 0
ran 'npm test'
printf '\\n\\033[1;46;30m RUN \\033[0m \\033[36mv4.1.12\\033[0m \\033[90m~/shop\\033[0m\\n\\n'
for each in 'cart.test.js 14 38' 'price.test.js 22 51' 'checkout.test.js 9 204' 'search.test.js 31 340' 'delivery.test.js 12 88'; do
  set -- $each; printf ' \\033[32m✓\\033[0m tests/%s \\033[90m(%s tests)\\033[0m \\033[32m%sms\\033[0m\\n' "$1" "$2" "$3"; sleep 0.2
done
printf ' \\033[31m❯\\033[0m tests/restart.test.js \\033[90m(3 tests |\\033[0m \\033[31m1 failed\\033[0m\\033[90m)\\033[0m \\033[33m1204ms\\033[0m\\n   \\033[32m✓\\033[0m stays signed in\\n   \\033[32m✓\\033[0m keeps the cart\\n   \\033[31m× keeps a half-typed address\\033[0m\\n\\n'
printf '\\033[1;41;97m FAIL \\033[0m tests/restart.test.js > keeps a half-typed address\\n\\033[31mAssertionError: expected "" to be "14 Mill Lane"\\033[0m\\n\\n'
printf ' \\033[1mTest Files\\033[0m  \\033[31m1 failed\\033[0m | \\033[32m5 passed\\033[0m\\n      \\033[1mTests\\033[0m  \\033[31m1 failed\\033[0m | \\033[32m90 passed\\033[0m\\n   \\033[1mDuration\\033[0m  2.31s\\n\\n'
ended 1
ran 'git diff --stat'; printf ' src/cart.js  | 14 \\033[32m+++++++++++\\033[31m---\\033[0m\\n src/price.js | 15 \\033[32m+++++++++++\\033[31m----\\033[0m\\n 2 files changed, 22 insertions(+), 7 deletions(-)\\n'; ended 0
prompt; exec cat`;

const SERVER = `printf '\\033[32m➜\\033[0m  \\033[1mlistening\\033[0m on \\033[36mhttp://localhost:3000/\\033[0m\\n\\n'
paths=(/ /cart /search?q=lamp /products/118 /checkout /api/prices /assets/app.css /products/7)
for i in $(seq 1 46); do
  s=$((i % 11 ? 200 : 404)); c=$((s == 200 ? 32 : 33))
  printf '\\033[90m14:%02d:%02d\\033[0m \\033[%dm%d\\033[0m GET %-18s \\033[90m%d ms\\033[0m\\n' $((2 + i / 20)) $((i * 7 % 60)) $c $s "\${paths[i % 8]}" $((3 + i * 13 % 40))
done
read -r _`;

const LOAD = `printf '\\033[?1049h\\033[?25l\\033[H\\033[1m  load\\033[0m  1.42 1.10 0.87     \\033[1mup\\033[0m 12 days\\n\\n'
i=0; for n in 61 18 44 7; do i=$((i+1)); printf '  \\033[36m%d\\033[0m [' $i; for x in $(seq 1 40); do [ $x -le $((n * 40 / 100)) ] && printf '\\033[32m|\\033[0m' || printf ' '; done; printf '%3d%%]\\n' $n; done
printf '  \\033[36mMem\\033[0m['; for x in $(seq 1 38); do [ $x -le 21 ] && printf '\\033[33m|\\033[0m' || printf ' '; done; printf ' 8.9G/16G]\\n\\n'
printf '  \\033[30;42m  PID USER      CPU%%  MEM%%  COMMAND                    \\033[0m\\n'
printf '%s\\n' '   4182 ada       58.1   3.2  node server.js' '   4410 ada       31.4   5.8  vitest' '   3921 ada        9.7   2.1  claude' '   3987 ada        4.0   1.9  codex' '   1203 ada        1.1   0.4  postgres: writer' '   4020 ada        0.7   0.3  vim src/cart.js' '    918 ada        0.3   0.1  abide'
read -r _`;

export interface Scene {
  readonly shell: { readonly session: string; readonly worker: string };
  readonly agent: { readonly session: string; readonly worker: string };
  /** A worker in the shell's session. */
  readonly vim: string;
}

interface Task {
  readonly id: string;
  readonly title: string;
  readonly sessionId?: string;
  readonly workerId?: string;
  readonly sessionStatus?: string;
}

/** Puts everything in its place, and waits until it looks as it shall. */
export async function arrange(house: House): Promise<Scene> {
  const shop = await house.repository("shop", { "README.md": "# shop\n", "src/cart.js": CART });
  await house.repository("handbook", { "README.md": "# handbook\n" });
  const task = async (title: string, agentId: string, more: object = {}) =>
    (await house.api<Task>("POST", "/api/tasks", { projectId: shop, title, agentId, ...more })).id;
  const start = async (id: string) => {
    await house.api("POST", `/api/tasks/${id}/activate`, {});
    await house.api("POST", `/api/tasks/${id}/session/start`, {});
    return id;
  };
  const tasks = () => house.api<Task[]>("GET", "/api/tasks");
  const until = async (isSo: (all: Task[]) => boolean) => {
    for (const end = Date.now() + 20_000; !isSo(await tasks()); ) {
      if (Date.now() > end) throw new Error(`the tasks do not get there: ${JSON.stringify(await tasks())}`);
      await new Promise((soon) => setTimeout(soon, 100));
    }
  };
  const status = (id: string, wanted: string) =>
    until((all) => all.find((one) => one.id === id)?.sessionStatus === wanted);

  for (const title of ["Fix the flaky cart test", "Sign in with a passkey", "Dark mode for the checkout"]) {
    const id = await start(await task(title, "gemini"));
    await status(id, "done");
    await house.api("POST", `/api/tasks/${id}/complete`, {});
  }
  await task("Upgrade the payment library to 4.2", "claude");
  await task("Pictures of products load slowly on phones", "codex", {
    description: "Lazy-load what is below the fold; measure before and after.",
  });
  await task("Decide how long carts are kept", "claude", { pinned: true });
  const signedIn = await start(
    await task("Keep people signed in when the server restarts", "claude", {
      description:
        "Sessions are kept in memory today. Put them into the store, with a test that kills the server.",
    }),
  );
  const prices = await start(await task("Prices with more than two decimals", "codex"));
  const delivery = await start(await task("Show delivery times at checkout", "gemini"));
  await status(prices, "waiting_for_input");
  await status(delivery, "done");
  await until((all) => all.some((one) => one.id === signedIn && one.workerId));

  const scripts = { tests: TESTS, server: SERVER, load: LOAD };
  const program = (name: keyof typeof scripts) => house.script(`${name}.sh`, scripts[name]);
  const shell = await house.quick([await program("tests")], "tests", `${house.home}/shop`);
  await house.terminal(shell.session, [await program("server")], "server");
  const vim = await house.terminal(
    shell.session,
    [
      "vim",
      "-u",
      "NONE",
      "-N",
      "-i",
      "NONE",
      "-n",
      "-c",
      "set number background=dark | syntax on | 13",
      "src/cart.js",
    ],
    "vim",
  );
  const elsewhere = await house.quick([await program("load")], "load");
  await house.prints(shell.worker, "2 files changed");
  await house.prints(vim.id, "isStale");
  await house.prints(elsewhere.worker, "postgres");
  const works = (await tasks()).find((one) => one.id === signedIn);
  await house.prints(works?.workerId ?? "", "Killing the server");
  return {
    shell,
    agent: { session: works?.sessionId ?? "", worker: works?.workerId ?? "" },
    vim: vim.id,
  };
}
