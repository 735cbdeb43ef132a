import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  DEFAULT_POLICY,
  jsonSchemaOf,
  readUpdatePolicy,
  termsFor,
} from '../../src/config/index.ts';
import {
  codesOf,
  EXIT_CODES,
  EXIT_MEANINGS,
  printedCode,
  type ErrorKind,
} from '../../src/base/codes.ts';
import { runCommandLine } from '../../src/cli/program.ts';
import { ROOT } from '../support/modreg.ts';
import { quietWorld } from '../support/quiet-world.ts';
import {
  PAGES,
  blocksOf,
  listedRows,
  pageAt,
  sectionOf,
  tableRows,
  type ListedRow,
} from '../support/pages.ts';

const POLICY = pageAt('docs/policy-and-documents.md');
const COMMAND_LINE = pageAt('docs/command-line.md');

it('the example of an update policy is examples/policy.json', () => {
  const example = readFileSync(join(ROOT, 'examples/policy.json'), 'utf8');
  expect(blocksOf(POLICY).map(({ content }) => content)).toContain(example);
  const policy = readUpdatePolicy(example);
  expect(policy.ok && termsFor(policy.value, 'acme_lidar').minimumAge.ms).toBe(14 * 86_400_000);
});

it('the list of the update policy has each field and its default', () => {
  const fields = Object.keys(Object(jsonSchemaOf('policy')['properties']));
  const table = listedRows(POLICY)
    .map(({ term, parts }) => [term, parts['without it'] ?? ''])
    .map((row) => row.map((cell) => cell.replaceAll('`', '')))
    .filter(([field = '']) => fields.includes(field));
  expect(table).toEqual([
    ['registry', ''],
    ['allow_http', 'none'],
    ['minimum_release_age', '0s'],
    ['unknown_release_age', 'refuse'],
    ['minimum_release_age_by_step', 'minimum_release_age for all'],
    ['age_after_yank', 'the same age as any other release'],
    ['trust', '`unsigned`, with a warning of check'.replaceAll('`', '')],
    ['npm_keys', 'none'],
    ['trust_clock', 'found out'],
    ['maintenance', 'at all times'],
    ['blackout', 'none'],
    ['allow_downgrade', 'true'],
    ['on_yank', 'keep'],
    ['require_digest', 'true'],
    ['quarantine', 'until-lifted'],
    ['restart_cooldown', '5m'],
    ['restart_ceiling', '12'],
    ['longest_hold', 'none'],
    ['max_index_age', '7d'],
    ['env_allow', 'none'],
    ['command', "the package's"],
    ['run_as', ''],
    ['no_new_privs', 'false'],
    ['ready', "the package's"],
    ['ready_timeout', '60s'],
    ['probation', '30s'],
    ['probe_interval', '5s'],
    ['stop_timeout', "the package's"],
    ['restart_status', "the package's"],
    ['restart_status_unclear', 'allow'],
    ['prefetch', 'true'],
    ['disk_reserve_mib', '256, or a tenth of a smaller disk'],
    ['self_update', 'true'],
    ['group', 'none, unless the credentials name one'],
    ['refuse', 'none'],
    ['age_exempt', 'none'],
    ['logs', 'nowhere'],
    ['tags', 'none'],
    ['provides', 'none'],
    ['modules', 'none'],
  ]);
  expect(table.map(([field]) => field)).toEqual(fields.filter((name) => name !== '$schema'));
  expect(DEFAULT_POLICY).toEqual({
    terms: {
      registry: undefined,
      allowHttp: [],
      minimumAge: { ms: 0, unknown: 'refuse' },
      window: undefined,
      allowDowngrade: true,
      onYank: 'keep',
      requireDigest: true,
      quarantineMs: undefined,
      restartCooldownMs: 300_000,
      restartCeiling: 12,
      maxIndexAgeMs: 604_800_000,
      envAllow: [],
      run: {
        command: undefined,
        runAs: undefined,
        noNewPrivs: false,
        ready: undefined,
        readyMs: 60_000,
        probationMs: 30_000,
        probeMs: 5000,
        stopMs: undefined,
        selfUpdate: true,
      },
    },
    modules: new Map(),
  });
});

it('the list of exit codes is that of the code', () => {
  const table = listedRows(sectionOf(COMMAND_LINE, 'Exit codes')).map(({ term, text, parts }) => [
    Number(term),
    text,
    (parts['errors'] ?? '').replaceAll('`', ''),
  ]);
  expect(table).toEqual(
    Array.from(EXIT_MEANINGS, ([exit, meaning]) => [exit, meaning, codesOf(exit).join(', ')]),
  );
});

it('a table has lines of at most 200 characters: longer rows are a list, in which a changed part changes one line', () => {
  // The benchmarks write theirs: figures, and no prose.
  const wide = PAGES.filter(({ path }) => path !== 'docs/benchmarks.md').flatMap(({ path, text }) =>
    text
      .split('\n')
      .filter((line) => line.startsWith('|') && line.length > 200)
      .map((line) => `${path}: ${line.slice(0, 40)}`),
  );
  expect(wide).toEqual([]);
});

it('the pages for operators quote texts that occur in src', () => {
  const pages = ['docs/operating.md', 'docs/a-machine-did-not-upgrade.md'].map(pageAt);
  const quoted = pages
    .flatMap((page) => {
      const cells = tableRows(page).map(([cell = '']) => cell);
      return cells.concat(listedRows(page).map(({ term }) => term));
    })
    .flatMap((cell) =>
      Array.from(cell.matchAll(/`([^`]*[a-z] [^`]*)`/g), ([, text = '']) => text.split('…')),
    );
  const pieces = quoted.flat().map((piece) => piece.trim());
  const source = globSync('src/**/*.ts', { cwd: ROOT })
    .map((path) => readFileSync(join(ROOT, path), 'utf8'))
    .join('');
  expect(pieces.length).toBeGreaterThan(8);
  expect(pieces.filter((piece) => !source.includes(piece))).toEqual([]);
});

it('each error code has a meaning', () => {
  const rows = listedRows(sectionOf(COMMAND_LINE, 'Error codes'));
  const codes = rows.flatMap(({ term }) => term.match(/[A-Z]+(?:_[A-Z]+)*(?=`)/g) ?? []);
  const kinds = Object.keys(EXIT_CODES) as ErrorKind[];
  const known = kinds.filter((kind) => kind !== 'node-too-old').map(printedCode);
  expect(codes.toSorted()).toEqual(known.toSorted());
});

interface OptionOfCommand {
  /** `registry publish` */
  readonly command: string;
  readonly option: string;
}

/** The options in the help of each command, but for `--help`. */
async function optionsBelow(...path: string[]): Promise<OptionOfCommand[]> {
  const { answer } = await runCommandLine([...path, '--help'], quietWorld('linux/arm64'));
  // The general help has groups of commands, of which this is the first.
  const place = answer.indexOf(path.length === 0 ? 'This machine:' : 'Commands:');
  const [options, commands] =
    place < 0 ? [answer, []] : [answer.slice(0, place), answer.slice(place)];
  const own = options
    .flatMap((line) => /^ {2}(?:-\w, )?(--[a-z-]+)/.exec(line)?.[1] ?? [])
    .filter((option) => option !== '--help')
    .map((option) => ({ command: path.join(' '), option }));
  const names = commands.flatMap((line) => /^ {2}(?!help)([a-z][a-z-]*)/.exec(line)?.[1] ?? []);
  const below = await Promise.all(names.map(async (name) => await optionsBelow(...path, name)));
  return [...own, ...below.flat()];
}

const OPTIONS = (await optionsBelow()).filter(({ command }) => command !== '');

it('the list of commands has each command, and no other', () => {
  const documented = listedRows(sectionOf(COMMAND_LINE, 'Commands')).flatMap(
    ({ term }) => /^`modreg (.*?)(?: [-<[].*)?`$/.exec(term)?.[1] ?? [],
  );
  const commands = new Set(OPTIONS.map(({ command }) => command));
  expect(new Set(documented)).toEqual(commands.add('help exit-codes'));
});

/** The options of a row, each for the commands of that row: `all`, or all of a group as in `registry …`. */
function optionsIn({ term, parts: { commands = '' } }: ListedRow): OptionOfCommand[] {
  const names = Array.from(term.matchAll(/`(--[a-z-]+)/g), ([, name = '']) => name);
  return names.flatMap((option) =>
    commands.split(', ').map((command) => ({ command: command.replaceAll('`', ''), option })),
  );
}

function isOf(row: OptionOfCommand, { command, option }: OptionOfCommand): boolean {
  if (option !== row.option) return false;
  return row.command.endsWith(' …')
    ? command.startsWith(row.command.slice(0, -1))
    : ['all', command].includes(row.command);
}

it('the list of options has the commands of each option, and no others', () => {
  const documented = listedRows(sectionOf(COMMAND_LINE, 'Options')).flatMap(optionsIn);
  const missing = OPTIONS.filter((one) => !documented.some((row) => isOf(row, one)));
  const unknown = documented.filter((row) => !OPTIONS.some((one) => isOf(row, one)));
  expect(missing).toEqual([]);
  expect(unknown).toEqual([
    { command: 'all', option: '--help' },
    { command: 'modreg', option: '--version' },
  ]);
});
