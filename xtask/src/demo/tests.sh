#!/bin/bash
# Looks like a run of tests that takes a while: lines of colour, and a bar that is drawn again and again.
names=(parser::numbers parser::strings parser::nested lexer::comments lexer::unicode scope::shadowing scope::closures
    types::inference types::generics codegen::loops codegen::calls runtime::arrays)
total=240
printf '\e[1mrunning %d tests\e[m\n' "$total"
for ((n = 1; n <= total; n++)); do
    name="${names[n % ${#names[@]}]}_$n"
    if ((n == 9)); then
        printf '\r\e[Ktest %-28s \e[1;31mfailed\e[m\n' "$name"
        printf '\e[31m  panicked at src/scope.rs:118: expected `String`, found `i64`\e[m\n'
    else
        printf '\r\e[Ktest %-28s \e[32mok\e[m  \e[2m%2d ms\e[m\n' "$name" $((n * 7 % 23 + 2))
    fi
    bar=$((n * 40 / total))
    printf '\e[36m%s\e[38;5;238m%s\e[m %d of %d' "$(printf '━%.0s' $(seq "$bar"))" "$(printf '─%.0s' $(seq $((41 - bar))))" "$n" "$total"
    sleep 0.3
done
printf '\r\e[K\n\e[1;31mFAIL\e[m  \e[32m%d passed\e[m, \e[31m1 failed\e[m\n' $((total - 1))
exit 1
