# Prints each line of stdin as zsh has it after Tab at its end. $1 is an empty folder. zsh inserts all words that it offers.
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1=; autoload -Uz compinit; compinit -u -d '$1/dump'; source <(modreg completion zsh)"
zpty -w shell "zstyle ':completion:*' completer _all_matches _complete; zstyle ':completion:*' insert true"
zpty -w shell "show() { print -r -- \"\$BUFFER\" >>'$1/lines'; BUFFER= }; zle -N show; bindkey '^G' show"
zpty -w shell "bindkey '^I' complete-word; setopt no_auto_menu; print ready-\$((1 + 1))"
# What is typed before the shell is ready would not be read as keys.
zpty -r -m shell output '*ready-2*'
while IFS= read -r line; do
  zpty -w -n shell "$line"$'\t\a'
done
zpty -w shell 'print done-$((1 + 1))'
zpty -r -m shell output '*done-2*'
zpty -d shell
cat "$1/lines"
