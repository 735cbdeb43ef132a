import type { SHELLS } from './shells.ts';

const BASH = `# bash completion for modreg

_modreg() {
  local rest=\${COMP_LINE:0:COMP_POINT} words=() before='' piece i
  # bash also splits words at : and =, which are part of a word here.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    if [[ i -eq 0 || $rest == [[:space:]]* ]]; then
      rest=\${rest#"\${rest%%[![:space:]]*}"}
      words+=('')
    fi
    piece=\${COMP_WORDS[i]}
    ((i < COMP_CWORD)) || piece=$rest
    before=\${words[-1]}
    words[-1]+=$piece
    rest=\${rest#"$piece"}
  done
  # What follows the last : or = is all that bash replaces.
  [[ $piece != [:=]* ]] || before+=$piece
  words=("\${words[@]//[\\'\\"\\\\]/}")
  COMPREPLY=()
  while read -r piece _; do
    if [[ $piece == :files ]]; then
      compopt -o default
      continue
    fi
    piece=\${piece#"$before"}
    # Outside of quotes, bash would expand a *.
    [[ \${COMP_WORDS[COMP_CWORD]} == [\\'\\"]* ]] || piece=\${piece//\\*/\\\\*}
    COMPREPLY+=("$piece")
  done < <("\${1/#\\~\\//$HOME/}" __complete -- "\${words[@]:1}" 2>/dev/null)
  compopt -o nosort
  [[ \${COMPREPLY[0]-} != *= ]] || compopt -o nospace
}

complete -F _modreg modreg`;

const ZSH = `#compdef modreg

_modreg() {
  local line value description
  local -a lines values descriptions
  lines=("\${(@f)$("\${words[1]/#\\~\\//$HOME/}" __complete -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)}")
  for line in $lines; do
    if [[ $line == :files ]]; then
      [[ $PREFIX != (--*|linux/*)=* ]] || compset -P '*='
      _files
      return
    fi
    value=\${line%% *} description=\${line#* }
    values+=("$value")
    [[ $description == $value ]] || value+="  -- $description"
    descriptions+=("$value")
  done
  if [[ \${values[1]-} == *= ]]; then
    compadd -V modreg -l -S '' -d descriptions -a values
  else
    compadd -V modreg -l -d descriptions -a values
  fi
}

if [[ \${funcstack[1]-} == _modreg ]]; then
  _modreg "$@"
else
  compdef _modreg modreg
fi`;

const FISH = `# fish completion for modreg

function __modreg_complete
    set -l words (commandline -opc)
    set -l word (string unescape -- (commandline -ct))
    for line in ($words[1] __complete -- $words[2..] "$word" 2>/dev/null)
        if test "$line" = :files
            set -l before (string match -r -- '^(?:--[^=]*|linux/[^=]*)=' "$word")
            printf '%s\\n' "$before"(__fish_complete_path (string replace -- "$before" '' "$word"))
        else
            string replace ' ' \\t -- $line
        end
    end
end

complete -c modreg -f -k -a '(__modreg_complete)'`;

/**
 * The script of each shell. It runs `modreg __complete -- <words>` with the words up to the cursor, and gives the shell the
 * lines that this prints: a word, a space and a description, or `:files`.
 */
export const COMPLETION_SCRIPTS: Readonly<Record<(typeof SHELLS)[number], string>> = {
  bash: BASH,
  zsh: ZSH,
  fish: FISH,
};
