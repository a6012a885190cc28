# zsh reads this file in place of the user's .zshenv, and everything after it from the user's own directory.
if (( ${+ABIDE_ZDOTDIR} )); then
    export ZDOTDIR=$ABIDE_ZDOTDIR
    unset ABIDE_ZDOTDIR
else
    unset ZDOTDIR
fi
if [[ -r ${ZDOTDIR-$HOME}/.zshenv ]]; then
    source "${ZDOTDIR-$HOME}/.zshenv"
fi

