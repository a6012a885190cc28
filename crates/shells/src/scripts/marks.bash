# Tells the terminal where prompts, commands and their output begin (OSC 133), and the directory (OSC 7).
# Does nothing if something else does so already.
if [[ $- == *i* && ${TERM:-dumb} != @(dumb|linux) && -z ${__abide_ran+set} ]] &&
    ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 404)) &&
    [[ "${PS0-}${PS1-}${PROMPT_COMMAND[*]-}$(declare -f)" != *']133;'* ]]; then

    # Whether a command has run since the last prompt, the directory that was told, and nothing.
    __abide_ran= __abide_told= __abide_nothing=

    __abide_before_prompt() {
        local code=$?
        if [[ -n $__abide_ran ]]; then
            __abide_ran=
            printf '\e]133;D;%d\a' "$code"
        fi
        return "$code"
    }

    __abide_at_prompt() {
        local code=$?
        # Themes may set these anew for every prompt.
        [[ ${PS1-} == *']133;B'* ]] || PS1=${PS1-}'\[\e]133;B\a\]'
        # Sets the variable in this shell without a process of its own, and prints nothing.
        [[ ${PS0-} == *']133;C'* ]] || PS0='\e]133;C\a${__abide_nothing:$((__abide_ran=1,0)):0}'${PS0-}
        [[ $PWD == "$__abide_told" ]] || __abide_tell_directory
        printf '\e]133;A\a'
        return "$code"
    }

    __abide_tell_directory() {
        local LC_ALL=C encoded= byte number i
        __abide_told=$PWD
        for ((i = 0; i < ${#PWD}; i++)); do
            byte=${PWD:i:1}
            if [[ $byte != [A-Za-z0-9/._~-] ]]; then
                printf -v number %d "'$byte"
                printf -v byte %%%02X "$((number & 255))"
            fi
            encoded+=$byte
        done
        printf '\e]7;file://%s%s\a' "${HOSTNAME-}" "$encoded"
    }

    if [[ "$(declare -p PROMPT_COMMAND 2>/dev/null)" == 'declare -a'* ]]; then
        PROMPT_COMMAND=(__abide_before_prompt "${PROMPT_COMMAND[@]}" __abide_at_prompt)
    else
        PROMPT_COMMAND=__abide_before_prompt$'\n'${PROMPT_COMMAND:+$PROMPT_COMMAND$'\n'}__abide_at_prompt
    fi
    # Shells that are started in this one do not know the functions.
    export -n PROMPT_COMMAND PS0
fi
