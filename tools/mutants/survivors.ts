/* The page that lists the mutants that no test detects, by file and declaration. People write the reasons. */
import { readFileSync, writeFileSync } from 'node:fs';

export const PAGE = 'docs/design/mutant-survivors.md';

/** Changes of one declaration that no test detects. */
export interface Group {
  /** Below `src/core`: `version/version.ts`. */
  readonly file: string;
  /** The function, class or constant at the top level of the file. */
  readonly declaration: string;
  /** Why no test detects them, as Markdown; empty if nobody has judged them. */
  readonly reason: string;
  /** `end - from > 15  →  true`, without the line, so that other edits do not change it. */
  readonly changes: readonly string[];
}

interface Place {
  readonly line: number;
  readonly column: number;
}

const DECLARATION = /^(?:export )?(?:async )?(?:function\*?|class|const) (\w+)/;
const LONGEST = 90;

/** The declaration at the top level that contains a line, counted from 1. Prettier indents all that is within one. */
export function declarationAt(source: string, line: number): string {
  const lines = source.split('\n').slice(0, line).toReversed();
  return lines.map((text) => DECLARATION.exec(text)?.[1]).find((name) => name !== undefined) ?? '';
}

/** `before  →  after`, each in one line. */
export function changeText(source: string, start: Place, end: Place, replacement: string): string {
  const lines = source.split('\n').slice(start.line - 1, end.line);
  const last = lines.length - 1;
  const code = lines.map((text, at) =>
    text.slice(at === 0 ? start.column - 1 : 0, at === last ? end.column - 1 : undefined),
  );
  return `${inOneLine(code.join('\n'))}  →  ${inOneLine(replacement)}`;
}

function inOneLine(code: string): string {
  const line = code.replaceAll(/\s+/g, ' ').trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
}

const GROUP =
  /^### `(?<file>[^`]+)`, `(?<declaration>[^`]+)`\n(?<reason>.*?)```text\n(?<changes>.*?)\n```$/gms;

/** The groups of the page. */
export function groupsIn(page: string): Group[] {
  return Array.from(page.matchAll(GROUP), ({ groups = {} }) => {
    const { file = '', declaration = '', reason = '', changes = '' } = groups;
    return { file, declaration, reason: reason.trim(), changes: changes.split('\n') };
  });
}

/** Writes the page: groups of files that were not tested stay, and reasons are kept. */
export function listSurvivors(
  survivors: readonly Omit<Group, 'reason'>[],
  isTested: (file: string) => boolean,
): void {
  const page = readFileSync(PAGE, 'utf8');
  const known = groupsIn(page);
  const reasons = new Map(known.map((group) => [titleOf(group), group.reason]));
  const listed = survivors.map((group) => {
    return { ...group, reason: reasons.get(titleOf(group)) ?? '' };
  });
  const all = [...known.filter(({ file }) => !isTested(file)), ...listed];
  const byFolder = Map.groupBy(all.toSorted(byFile), ({ file }) => file.split('/')[0]);
  const sections = Array.from(byFolder, ([folder, groups]) =>
    [`## ${folder}`, ...groups.map(sectionOf)].join('\n\n'),
  );
  const [introduction = ''] = page.split(/^## /m);
  writeFileSync(PAGE, `${[introduction.trimEnd(), ...sections].join('\n\n')}\n`);
}

function titleOf({ file, declaration }: Pick<Group, 'file' | 'declaration'>): string {
  return `### \`${file}\`, \`${declaration}\``;
}

function sectionOf(group: Group): string {
  const { reason, changes } = group;
  const list = ['```text', ...changes, '```'].join('\n');
  return [titleOf(group), reason, list].filter((part) => part !== '').join('\n\n');
}

function byFile(a: Group, b: Group): number {
  return a.file === b.file ? 0 : a.file < b.file ? -1 : 1;
}
