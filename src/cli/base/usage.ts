import type { Command } from 'commander';
import { parseModuleId } from '../../core/releases/module-id.ts';
import { nearestWord } from '../../core/text/nearest-word.ts';
import { excerpt, quote } from '../../core/text/quote.ts';
import { codesOf, EXIT_MEANINGS } from '../../base/codes.ts';
import type { Problem } from '../../base/problem.ts';

/** The problem of a command line that commander refuses with `message`. The hint names the help of the command that `argv` names. */
export function commandLineProblem(
  message: string,
  argv: readonly string[],
  modreg: Command,
): Problem {
  const [first = '', ...rest] = message.replace(/^error: /, '').split('\n');
  const [, similar] = /Did you mean (.+)\?/.exec(rest.join(' ')) ?? [];
  const named = commandNamed(argv, modreg);
  const isIncomplete = /^(unknown command|missing required argument)/.test(first);
  const suggestion =
    (isIncomplete ? atSign(argv, named) : undefined) ??
    ofOneModule(argv, named) ??
    elsewhere(argv, named) ??
    similar;
  const other = otherChoice(first);
  const meant = other?.meant ?? suggestion;
  return {
    severity: 'error',
    kind: 'usage',
    message: other?.message ?? excerpt(first),
    suggestion: meant === undefined ? undefined : excerpt(meant),
    hint: `${pathOf(named)} --help shows how`,
  };
}

const CHOICES = '. Allowed choices are ';

/** A value that is none of the choices, and the nearest of them; undefined if commander complains about something else. */
function otherChoice(
  first: string,
): { readonly message: string; readonly meant: string | undefined } | undefined {
  const at = first.lastIndexOf(CHOICES);
  if (at === -1) return undefined;
  const parts = first.slice(0, at).split("'");
  // `option '--color <when>' argument 'pink' is invalid`, `command-argument value 'robot' is invalid for argument 'kind'`.
  const isOption = first.startsWith('option ');
  const named = (isOption ? parts[1] : parts.at(-2)) ?? '';
  const name = named.split(' ').find((word) => word.startsWith('--')) ?? named;
  const found = (isOption ? parts.slice(3, -1) : parts.slice(1, -3)).join("'");
  const choices = first.slice(at + CHOICES.length, -1).split(', ');
  const message = `${name}: found ${quote(found)}, expected one of ${choices.join(', ')}`;
  return { message, meant: nearestWord(found, choices) };
}

/** The command that the first words of `argv` name: `modreg` itself if they name none. */
function commandNamed(argv: readonly string[], modreg: Command): Command {
  let named = modreg;
  for (const word of argv) {
    const next = named.commands.find((command) => command.name() === word);
    if (!next) break;
    named = next;
  }
  return named;
}

/** `modreg registry publish`. */
function pathOf(command: Command): string {
  const { parent } = command;
  return parent ? `${pathOf(parent)} ${command.name()}` : command.name();
}

/** What other programs call a command of modreg. */
const SYNONYMS: Readonly<Record<string, string>> = {
  delete: 'remove',
  downgrade: 'rollback',
  explain: 'why',
  history: 'why',
  info: 'registry show',
  install: 'add',
  lint: 'check',
  log: 'agent logs',
  login: 'join',
  ls: 'status',
  pause: 'hold',
  pin: 'set',
  ps: 'agent status',
  register: 'join',
  revert: 'rollback',
  rm: 'remove',
  run: 'agent run',
  search: 'registry list',
  start: 'agent run',
  uninstall: 'remove',
  update: 'upgrade',
  validate: 'check',
  versions: 'compare',
};

/** The commands, anywhere in the tree, that the unknown first word names; undefined if no command has that name. */
function elsewhere([word = '']: readonly string[], named: Command): string | undefined {
  if (named.parent) return undefined;
  const synonym = Object.hasOwn(SYNONYMS, word) ? SYNONYMS[word] : undefined;
  const paths = synonym === undefined ? pathsTo(word, named) : [`modreg ${synonym}`];
  return paths.length > 1 ? `one of ${paths.join(', ')}` : paths[0];
}

function pathsTo(word: string, command: Command): string[] {
  return command.commands.flatMap((below) => [
    ...(below.name() === word ? [pathOf(below)] : []),
    ...pathsTo(word, below),
  ]);
}

/** The command for `acme:lidar@1.2.9`, which modreg writes as two arguments; undefined if no argument is of that form. */
function atSign(argv: readonly string[], named: Command): string | undefined {
  for (const argument of argv) {
    const [, id = '', version = ''] = /^([^@]+)@(.+)$/s.exec(argument) ?? [];
    if (!parseModuleId(id).ok) continue;
    const path = named.parent ? pathOf(named) : 'modreg resolve';
    return [path, id, version].join(' ');
  }
  return undefined;
}

/** The command that shows the module which `status`, of the whole machine, is given (D446). */
function ofOneModule([first, ...rest]: readonly string[], named: Command): string | undefined {
  const module = rest.find((word) => !word.startsWith('-'));
  const isStatus = first === 'status' && named.parent?.parent === null;
  return isStatus && module !== undefined ? `modreg why ${module}` : undefined;
}

/** The exit codes, each with its error codes: `modreg help exit-codes`. */
export function exitCodeLines(): string[] {
  return [
    'Exit codes, each with the codes of the errors that cause it:',
    ...Array.from(EXIT_MEANINGS).flatMap(([exit, meaning]) => {
      const line = `  ${String(exit).padEnd(4)} ${meaning}`;
      const codes = codesOf(exit).join(', ');
      return codes === '' ? [line] : [line, `       ${codes}`];
    }),
  ];
}
