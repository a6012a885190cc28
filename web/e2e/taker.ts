/** A stand-in for an agent that takes prompts: it has a place to type and asks for brackets around pasted text. */

import type { FakeAgent } from "./house";

/**
 * It writes each prompt to the file `prompts` in the home directory. Enter submits, and an idle agent then works. C-a asks
 * for a permission, which `1` gives; C-w works; C-o is idle.
 */
const TAKES = `
stty raw -echo
printf '\\033[?2004h'
line='────────────────────────────────────────'
state=idle typed= bracket=
draw() {
    case $state in
        idle) head='● Done.';;
        working) head='✻ Pondering… (3s · esc to interrupt)';;
        asking)
            printf '\\033[2J\\033[H%s\\r\\n rm -rf target\\r\\n\\r\\n Do you want to proceed?\\r\\n ❯ 1. Yes\\r\\n   2. No\\r\\n' "$line"
            printf '\\r\\n Enter to select · Esc to cancel'
            return;;
    esac
    printf '\\033[2J\\033[H%s\\r\\n\\r\\n%s\\r\\n❯ %s' "$head" "$line" "$typed"
    printf '\\0337\\r\\n%s\\r\\n  ? for help\\0338' "$line"
}
draw
while IFS= read -r -N 1 -d '' key; do
    case "$key" in
        $'\\001') state=asking; draw; continue;;
        $'\\027') state=working; draw; continue;;
        $'\\017') state=idle; draw; continue;;
    esac
    if [ $state = asking ]; then [ "$key" = 1 ] && state=idle && draw; continue; fi
    case "$key" in
        $'\\033')
            IFS= read -r -N 5 -d '' key
            case "$key" in '[200~') bracket=1;; '[201~') bracket=;; esac
            continue;;
        $'\\r'|$'\\n')
            if [ -n "$bracket" ]; then typed="$typed "
            else
                printf '%s\\n' "$typed" >>"$HOME/prompts"
                typed= state=working
            fi;;
        *) typed="$typed$key";;
    esac
    draw
done`;

export const TAKER: FakeAgent = {
  id: "taker",
  name: "Taker",
  script: TAKES,
  more: "work-is-shown = true",
};
