import type { CommandPage } from './command-tree.ts';

/**
 * The completion of commands, options and their choices for bash. It starts no process of modreg, because all words are in
 * it. What it does not know is completed as the name of a file.
 */
export function bashCompletion(modreg: CommandPage): string {
  const all = everyCommand(modreg);
  const paths = all.slice(1).map(({ path }) => `'${path.join(' ')}'`);
  return `# bash completion for modreg

_modreg() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD - 1]}
  local path=modreg word words options
  # For bash, --color=always is three words.
  if [ "$current" = = ]; then
    current=
  elif [ "$before" = = ]; then
    before=\${COMP_WORDS[COMP_CWORD - 2]}
  fi
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD - 1}"; do
    case "$path $word" in
      ${paths.join(' | \\\n        ')}) path+=" $word" ;;
    esac
  done
  case $path in
${all.map(wordsLine).join('\n')}
  esac
  case "$path $before" in
${all.flatMap(choiceLines).join('\n')}
    *) if [[ $current == -* ]]; then words=$options; fi ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}

complete -o default -F _modreg modreg
`;
}

function everyCommand(command: CommandPage): CommandPage[] {
  return [command, ...command.commands.flatMap(everyCommand)];
}

/** What can follow a command: its commands, the choices of its arguments, and its options. */
function wordsLine({ path, commands, choices, options }: CommandPage): string {
  const help = path.length === 1 ? ['help'] : [];
  const words = [...commands.map((one) => one.path.at(-1)), ...help, ...choices];
  const names = options.flatMap((option) => option.names.slice(-1));
  return `    '${path.join(' ')}') words='${words.join(' ')}' options='${names.join(' ')}' ;;`;
}

function choiceLines({ path, options }: CommandPage): string[] {
  return options
    .filter(({ choices }) => choices.length > 0)
    .map(({ names, choices }) => {
      const patterns = names.map((name) => `'${path.join(' ')} ${name}'`);
      return `    ${patterns.join(' | ')}) words='${choices.join(' ')}' ;;`;
    });
}
