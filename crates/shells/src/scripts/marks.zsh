# Tells the terminal where prompts, commands and their output begin (OSC 133), and the directory (OSC 7).
# Does nothing if something else does so already.
if [[ -o interactive && ${TERM:-dumb} != (dumb|linux) && -z ${__abide_ran+set} ]]; then
    typeset -g __abide_ran= __abide_told=
    typeset -ga precmd_functions preexec_functions

    # Begins with the first prompt, when everything of the user's has been read.
    __abide_begin() {
        precmd_functions=(${precmd_functions:#__abide_begin})
        local hooks="$PS1" hook
        for hook in precmd preexec $precmd_functions $preexec_functions; do
            hooks+=${functions[$hook]-}
        done
        if [[ $hooks != *']133;'* ]]; then
            preexec_functions+=(__abide_before_command)
            precmd_functions+=(__abide_at_prompt)
            __abide_at_prompt
        fi
    }

    __abide_before_command() {
        __abide_ran=1
        print -rn -- $'\e]133;C\a'
    }

    __abide_at_prompt() {
        local code=$?
        if [[ -n $__abide_ran ]]; then
            __abide_ran=
            print -rn -- $'\e]133;D;'$code$'\a'
        fi
        # Themes may set it anew for every prompt.
        [[ $PS1 == *']133;B'* ]] || PS1+=$'%{\e]133;B\a%}'
        [[ $PWD == "$__abide_told" ]] || __abide_tell_directory
        print -rn -- $'\e]133;A\a'
    }

    __abide_tell_directory() {
        emulate -L zsh -o no_multibyte
        local encoded= byte
        __abide_told=$PWD
        for byte in ${(s::)PWD}; do
            case $byte in
                ([A-Za-z0-9/._~-]) encoded+=$byte ;;
                (*) encoded+=%${(l:2::0:)$(([##16] #byte))} ;;
            esac
        done
        print -rn -- $'\e]7;file://'$HOST$encoded$'\a'
    }

    precmd_functions+=(__abide_begin)
fi
