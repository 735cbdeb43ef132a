import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { DEFAULT_POLICY, jsonSchemaOf, readUpdatePolicy, termsFor } from '../src/config/index.ts';
import { codesOf, EXIT_MEANINGS } from '../src/cli/codes.ts';
import { decodeReleaseDocument } from '../src/registry/formats/release-document.ts';
import { moduleId } from './support/ask.ts';
import { temporaryFolder } from './support/folder.ts';
import { ROOT } from './support/modreg.ts';

const README = readFileSync(join(ROOT, 'README.md'), 'utf8');

/** The contents of the blocks in `language`. */
function blocks(language: string): string[] {
  const fences = README.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm);
  return Array.from(fences).flatMap(([, found, content = '']) =>
    found === language ? [content] : [],
  );
}

/** What a command prints to stdout, and then to stderr. */
function run(command: string, args: readonly string[]): string {
  const options = {
    cwd: ROOT,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] },
    timeout: 20_000,
  } as const;
  const { stdout, stderr } = spawnSync(command, args, options);
  return stdout + stderr;
}

// What installs and what tests is run by whoever runs this.
const COMMANDS = blocks('console')
  .flatMap((block) => block.split(/^\$ /m).slice(1))
  .map((session) => session.replace(/^npm ci && /, ''))
  .filter((session) => session !== 'npm test\n')
  .map((session): [string, string] => {
    const end = session.indexOf('\n');
    return [session.slice(0, end), session.slice(end + 1).replace(/\n$/, '')];
  });

it.each(COMMANDS)('$ %s', (command, printed) => {
  expect(run('sh', ['-c', command]).trimEnd()).toBe(printed);
});

it('has commands to run', () => {
  expect(COMMANDS.length).toBeGreaterThan(4);
});

const PROGRAMS = blocks('ts').map((program, place): [number, string, string | undefined] => {
  return [place + 1, program, blocks('text')[place]];
});

it.each(PROGRAMS)('program %i prints what README says', (_, program, printed) => {
  const node = join(ROOT, 'node_modules/.bin/node');
  // Its files are made elsewhere; its packages are found here.
  const inside = `process.chdir('${temporaryFolder()}');\n${program}`;
  expect(run(node, ['--input-type=module-typescript', '-e', inside])).toBe(printed);
});

it('the agent is examples/agent.ts, and compiles', () => {
  expect(PROGRAMS.map(([, program]) => program)).toContain(
    readFileSync(join(ROOT, 'examples/agent.ts'), 'utf8'),
  );
  expect(run(join(ROOT, 'node_modules/.bin/tsc'), ['-p', 'examples'])).toBe('');
});

it('the release list is one', () => {
  const [document = ''] = blocks('json');
  expect(decodeReleaseDocument(JSON.parse(document), moduleId('acme:lidar'))).toMatchObject({
    records: [{ version: '1.2.9' }],
    dropped: [],
  });
});

it('the update policy is one, and the example beside the machine', () => {
  const [, document = ''] = blocks('json');
  expect(document).toBe(readFileSync(join(ROOT, 'examples/policy.json'), 'utf8'));
  const policy = readUpdatePolicy(document);
  expect(policy).toMatchObject({ ok: true, problems: [] });
  expect(policy.ok && termsFor(policy.value, 'acme_lidar').minimumAge.ms).toBe(14 * 86_400_000);
});

it('the table of the update policy has each field and its default', () => {
  const [, section = ''] = README.split('### The update policy\n');
  const rows = section.split('\n## ', 1)[0]?.matchAll(/^\| `(\w+)` +\| (.*?) +\|/gm) ?? [];
  const table = Array.from(rows, ([, field, absent]) => [field, absent?.replaceAll('`', '')]);
  expect(table).toEqual([
    ['registry', ''],
    ['allow_http', 'none'],
    ['minimum_release_age', '0s'],
    ['unknown_release_age', 'refuse'],
    ['maintenance', 'at all times'],
    ['allow_downgrade', 'true'],
    ['quarantine', 'until-lifted'],
    ['restart_cooldown', '5m'],
    ['restart_ceiling', '12'],
    ['max_index_age', '7d'],
    ['env_allow', 'none'],
    ['modules', 'none'],
  ]);
  expect(table.map(([field]) => field)).toEqual(
    Object.keys(Object(jsonSchemaOf('policy')['properties'])).filter((name) => name !== '$schema'),
  );
  expect(DEFAULT_POLICY).toEqual({
    terms: {
      registry: undefined,
      allowHttp: [],
      minimumAge: { ms: 0, unknown: 'refuse' },
      window: undefined,
      allowDowngrade: true,
      quarantineMs: undefined,
      restartCooldownMs: 300_000,
      restartCeiling: 12,
      maxIndexAgeMs: 604_800_000,
      envAllow: [],
    },
    modules: new Map(),
  });
});

it('the table of exit codes is that of the code', () => {
  const rows = README.matchAll(/^\| (\d+) +\| (.*?) +\| (.*?) *\|$/gm);
  const table = Array.from(rows, ([, exit, meaning, codes = '']) => [
    Number(exit),
    meaning,
    codes.replaceAll('`', ''),
  ]);
  expect(table).toEqual(
    Array.from(EXIT_MEANINGS, ([exit, meaning]) => [exit, meaning, codesOf(exit).join(', ')]),
  );
});
