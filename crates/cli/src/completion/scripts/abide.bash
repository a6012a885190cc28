# Completions of abide for bash. Put this file into ~/.local/share/bash-completion/completions, or source it.
_abide() {
    local word words=("${COMP_WORDS[@]}")
    words[COMP_CWORD]=$2
    COMPREPLY=()
    while IFS=$'\t' read -r word _; do
        case $word in
            :files) compopt -o default; return ;;
            :directories) compopt -o dirnames; return ;;
            *) COMPREPLY+=("$word") ;;
        esac
    done < <(command abide complete --index "$COMP_CWORD" -- "${words[@]}" 2>/dev/null)
}
complete -F _abide abide
