# bash reads this file in place of ~/.bashrc.
if [[ -r ~/.bashrc ]]; then
    . ~/.bashrc
fi

