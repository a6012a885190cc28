# Completions of abide for fish. Put this file into ~/.config/fish/completions.
function __abide_complete
    set -l before (commandline --cut-at-cursor --current-process --tokenize)
    set -l current (commandline --cut-at-cursor --current-token)
    for line in (command abide complete --index (count $before) -- $before $current 2>/dev/null)
        switch $line
            case ':files*'
                __fish_complete_path "$current"
            case ':directories*'
                __fish_complete_directories "$current"
            case '*'
                printf '%s\n' $line
        end
    end
end
complete --command abide --no-files --arguments '(__abide_complete)'
