import { describe, expect, it } from 'vitest';
import { codesOf, EXIT_MEANINGS } from '../../src/base/codes.ts';
import { inProcess } from '../support/in-process.ts';
import { sh } from '../support/shell.ts';

describe('a mistake in the arguments leads to the help of that command', () => {
  it.each([
    ['why', 'modreg why --help'],
    ['plan machine.json --nonsense', 'modreg plan --help'],
    ['registry', 'modreg registry --help'],
    ['registry publish', 'modreg registry publish --help'],
    ['quarantine lift acme:lidar', 'modreg quarantine lift --help'],
    ['nonsense', 'modreg --help'],
    ['--nonsense', 'modreg --help'],
  ])('%s: %s', async (args, help) => {
    const { stderr, exit } = await inProcess(args.split(' '));
    expect([stderr.trimEnd().split('\n').at(-1), exit]).toEqual([`hint: ${help} shows how`, 2]);
  });
});

it.each([
  ['exit-code', '  did you mean modreg help exit-codes ?'],
  ['plna', '  did you mean modreg help plan ?'],
  ['weather', 'hint: modreg --help shows how'],
])('modreg help %s: %s', async (asked, line) => {
  expect((await inProcess(['help', asked])).stderr.split('\n')[1]).toBe(line);
});

describe('a module_id and a version with @ between them', () => {
  it.each([
    ['resolve acme:lidar@1.2.9', 'modreg resolve acme:lidar 1.2.9'],
    ['resolve acme:lidar@1.2.*', 'modreg resolve acme:lidar 1.2.*'],
    ['acme:lidar@1.2.9', 'modreg resolve acme:lidar 1.2.9'],
    ['quarantine lift acme:lidar@1.2.9', 'modreg quarantine lift acme:lidar 1.2.9'],
    ['resolve acme:lidar@1.2.9 1.*', 'acme:lidar'],
    ['compare acme:lidar@1.2.9', 'acme:lidar'],
    ['accept acme:lidar@1.2.9', 'acme:lidar'],
  ])('%s: did you mean %s ?', async (args, suggestion) => {
    const { stderr, exit } = await inProcess(args.split(' '));
    expect(stderr.split('\n')).toContain(`  did you mean ${suggestion} ?`);
    expect(exit).toBe(2);
  });

  it.each([
    ['resolve lidar@1.2.9', "error[USAGE]: missing required argument 'constraint'"],
    ['compare @acme/lidar', 'error[BAD_MODULE_ID]: "@acme/lidar" is not a module id'],
  ])('suggests nothing for %s', async (args, first) => {
    const lines = (await inProcess(args.split(' '))).stderr.split('\n');
    expect(lines[0]).toBe(first);
    expect(lines.filter((line) => line.includes('did you mean'))).toEqual([]);
  });
});

describe('the examples in the help of a command are its own', () => {
  const COMMANDS = [
    'resolve|compare|plan|watch|status|why|replay|rollback|accept|add|check|schema|board|quarantine list',
    'quarantine lift|registry publish|registry yank|registry unyank|registry list|registry serve',
  ];

  it.each(COMMANDS.join('|').split('|'))('%s', async (command) => {
    const { stdout } = await inProcess([...command.split(' '), '--help']);
    const [, examples = ''] = /^Examples:\n((?: {2}.*\n)+)/.exec(stdout) ?? [];
    const lines = examples.trimEnd().split('\n');
    expect(lines.filter((line) => !line.includes(`modreg ${command}`))).toEqual([]);
  });
});

describe('the exit codes', () => {
  it('modreg help exit-codes lists them with their error codes', async () => {
    const { stdout, exit } = await inProcess(['help', 'exit-codes']);
    const rows = Array.from(EXIT_MEANINGS, ([code, meaning]) =>
      [`  ${String(code).padEnd(4)} ${meaning}`, `       ${codesOf(code).join(', ')}`].filter(
        (line) => line.trim() !== '',
      ),
    );
    expect(stdout.trimEnd().split('\n').slice(1)).toEqual(rows.flat());
    expect(exit).toBe(0);
  });

  it('the general help names that page', async () => {
    const { stdout } = await inProcess(['--help']);
    expect(stdout.trimEnd().split('\n').at(-1)).toBe(
      'modreg help exit-codes lists the exit codes and the error codes.',
    );
    expect(stdout).not.toContain('NO_MATCH');
  });
});

it.each([['--version'], ['-V'], ['version']])('modreg %s prints the versions', async (args) => {
  const { stdout, exit } = await inProcess([args]);
  expect(stdout).toMatch(/^modreg \d+\.\d+\.\d+(?:-dev)? \(Node v\d+\.\d+\.\d+\)\n$/);
  expect(exit).toBe(0);
});

/** What a command prints at a width. */
async function shown(command: readonly string[], COLUMNS?: string): Promise<string> {
  return (await inProcess(command, COLUMNS === undefined ? {} : { COLUMNS })).stdout;
}

describe('lines are wrapped at the width of a terminal', () => {
  const PLAN = 'plan examples/rover/machine.json --deployed examples/rover/deployed.json';
  const AT = `--at 2026-11-21T12:00:00Z`;
  const planAt = async (COLUMNS: string): Promise<string[]> =>
    (await inProcess(`${PLAN} ${AT}`.split(' '), { COLUMNS })).stdout.split('\n');

  it.each([
    ['--help'],
    ['plan --help'],
    ['registry publish --help'],
    ['help exit-codes'],
    [`${PLAN} ${AT}`],
    ['compare acme:lidar --deployed 1.2.3 --platform linux/arm64'],
    ["resolve acme:lidar '1.2.*' --explain --platform linux/arm64"],
    ['check examples/machine-with-mistakes.json'],
  ])('at 60 columns: %s', async (args) => {
    const words = args.split(' ').map((word) => word.replaceAll("'", ''));
    const { stdout, stderr } = await inProcess(words, { COLUMNS: '60' });
    const lines = `${stdout}${stderr}`.split('\n');
    const tooWide = lines.filter((line) => line.length > 60 && line.trim().includes(' '));
    expect(tooWide).toEqual([]);
    expect(lines.length).toBeGreaterThan(5);
  });

  it('[D352] a plan that does not fit has the headline of each module', async () => {
    const lines = await planAt('60');
    expect(lines.slice(lines.indexOf('  acme:cam   1.0.4   1.0.4'), -5)).toEqual([
      '  acme:cam   1.0.4   1.0.4',
      '      pinned to 1.0.4',
      '  nimbus:gps   latest   0.9.1 → 1.0.0',
      '      upgrade to 1.0.0 is due · a new major',
      '      stops gps0',
      '  Complete reasons: in a terminal of 94 columns.',
    ]);
  });

  it('the last column is wrapped below itself if it fits', async () => {
    const lines = await planAt('110');
    const place = lines.findIndex((line) => line.startsWith('  nimbus:gps'));
    expect(lines.slice(place, place + 3)).toEqual([
      '  nimbus:gps   latest       0.9.1      1.0.0    1.0.0    upgrade      newest release; new major: read its',
      '                                                                      release notes',
      '      stops gps0',
    ]);
  });

  it('a terminal wraps, a pipe does not', async () => {
    const args = ['compare', 'acme:lidar', '--platform', 'linux/arm64'];
    const piped = await shown(args);
    expect(piped).toMatch(/^ {2}TYPE {3}/m);
    const compare = `./bin/modreg ${args.join(' ')} 2>/dev/null`;
    expect(sh(`script -qec "stty cols 60; ${compare}" /dev/null`)).toMatch(/^ {6}SELECTS {5} /m);
    expect((await shown([...args, '--json'])).trimEnd().split('\n')).toHaveLength(1);
    expect((await shown([...args, '--json'], '60')).trimEnd().split('\n')).toHaveLength(1);
    const schema = ['schema', 'machine'];
    expect(await shown(schema, '60')).toBe(await shown(schema));
    expect(await shown(args, 'wide')).toBe(piped);
  });
});
