# Tells the terminal where prompts, commands and their output begin (OSC 133), and the directory (OSC 7). fish does all of
# it by itself from version 4 on.
if status is-interactive
    and not contains -- "$TERM" '' dumb linux
    and not functions -q __abide_before_command
    and test (string split . -- $version)[1] -lt 4

    function __abide_at_prompt --on-event fish_prompt
        printf '\e]133;A\a'
    end

    function __abide_before_command --on-event fish_preexec
        printf '\e]133;C\a'
    end

    function __abide_after_command --on-event fish_postexec
        printf '\e]133;D;%d\a' $status
    end

    function __abide_tell_directory --on-variable PWD
        status is-command-substitution; and return
        printf '\e]7;file://%s%s\a' $hostname (string escape --style=url -- $PWD)
    end
    __abide_tell_directory

    # What is typed begins where the prompt ends.
    if functions -q fish_prompt
        functions --copy fish_prompt __abide_own_prompt
        function fish_prompt
            __abide_own_prompt
            printf '\e]133;B\a'
        end
    end
end
