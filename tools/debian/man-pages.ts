import { EXIT_MEANINGS } from '../../src/base/codes.ts';
import type { CommandPage, OptionPage } from './command-tree.ts';

/** A manual page in roff. */
export interface ManPage {
  /** `modreg-registry-publish.1` */
  readonly file: string;
  readonly text: string;
}

export interface Edition {
  readonly version: string;
  /** `2026-11-24` */
  readonly date: string;
}

const SECTION = 1;
/** The variables that matter to most commands. */
const ENVIRONMENT = [
  [
    'PLATFORM_HOME',
    'The folder of machine.db, registry.db and packages. If it is not set: /var/lib/modreg for root, the home of the agent of this package, else $HOME/.platform.',
  ],
  ['MODREG_REGISTRY', 'The registry, if no option and no policy names one.'],
  ['MODREG_TOKEN', 'The token for the registry that MODREG_REGISTRY names.'],
] as const;
const DOCUMENTATION = '/usr/share/doc/modreg/docs/command-line.md';

/** A page for a command, and one for each command below it. */
export function manPages(command: CommandPage, edition: Edition, parent?: CommandPage): ManPage[] {
  const file = `${nameOf(command)}.${SECTION}`;
  const below = command.commands.flatMap((one) => manPages(one, edition, command));
  return [{ file, text: page(command, edition, parent) }, ...below];
}

function page(command: CommandPage, { version, date }: Edition, parent?: CommandPage): string {
  const name = nameOf(command);
  const lines = [
    `.TH ${name.toUpperCase()} ${SECTION} ${date} "modreg ${version}" "User Commands"`,
    '.nh',
    '.SH NAME',
    `${roff(name)} \\- ${roff(command.description.replace(/\.$/, ''))}`,
    '.SH SYNOPSIS',
    `.B ${roff(command.path.join(' '))}`,
    italic(command.usage),
    '.SH DESCRIPTION',
    roff(command.description),
    ...commandsOf(command),
    ...(command.options.length === 0 ? [] : ['.SH OPTIONS', ...command.options.flatMap(option)]),
    ...command.notes.flatMap(note),
    '.SH ENVIRONMENT',
    ...ENVIRONMENT.flatMap(([variable, meaning]) => ['.TP', `.B ${variable}`, roff(meaning)]),
    '.SH EXIT STATUS',
    ...Array.from(EXIT_MEANINGS).flatMap(([exit, meaning]) => ['.TP', `.B ${exit}`, roff(meaning)]),
    '.SH SEE ALSO',
    ...seeAlso(command, parent),
    '.PP',
    `Further environment variables, error codes and warnings are in`,
    `.IR ${roff(DOCUMENTATION)} .`,
  ];
  return `${lines.join('\n')}\n`;
}

function nameOf({ path }: CommandPage): string {
  return path.join('-');
}

function commandsOf({ commands }: CommandPage): string[] {
  if (commands.length === 0) return [];
  const entries = commands.flatMap((one) => [
    '.TP',
    `.BR ${roff(nameOf(one))} (${SECTION})`,
    roff(one.description),
  ]);
  return ['.SH COMMANDS', ...entries];
}

function option({ flags, description }: OptionPage): string[] {
  const names = flags.replaceAll(/-{1,2}[a-zA-Z][\w-]*/g, '\\fB$&\\fR');
  return ['.TP', italic(names, escaped), roff(description)];
}

/** `Examples:` with its lines, or a paragraph. */
function note(text: string): string[] {
  const [first = '', ...rest] = text.split('\n');
  if (!first.endsWith(':')) return ['.SH NOTES', ...text.split('\n').map(roff)];
  const lines = rest.map((line) => roff(line.replace(/^ {2}/, '')));
  return [`.SH ${first.slice(0, -1).toUpperCase()}`, '.nf', ...lines, '.fi'];
}

function seeAlso(command: CommandPage, parent?: CommandPage): string[] {
  const related = [...(parent ? [parent] : []), ...(parent?.commands ?? command.commands)];
  const others = related.filter((one) => one !== command).map(nameOf);
  return others.map((name, place) => {
    const comma = place < others.length - 1 ? ',' : '';
    return `.BR ${roff(name)} (${SECTION})${comma}`;
  });
}

/** Text with its placeholders, `<file>` and `[version]`, in italics. */
function italic(text: string, escape: (text: string) => string = roff): string {
  return escape(text).replaceAll(/<[^>]+>/g, '\\fI$&\\fR');
}

/** Text for roff as it is: no request at the beginning of a line, no escape, and hyphens that can be copied. */
function roff(text: string): string {
  const safe = escaped(text.replaceAll('\\', '\\e'));
  return /^[.']/.test(safe) ? `\\&${safe}` : safe;
}

function escaped(text: string): string {
  return text.replaceAll('-', '\\-').replaceAll(/[^ -~]/g, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase();
    return `\\[u${code.padStart(4, '0')}]`;
  });
}
