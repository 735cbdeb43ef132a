import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { runCommandLine } from '../../src/cli/program.ts';
import { temporaryFolder } from '../support/folder.ts';
import { ROOT } from '../support/modreg.ts';
import { quietWorld } from '../support/quiet-world.ts';

describe('the platform is that of the machine unless --platform is given', () => {
  it.each([
    ['linux/x64', [], ['1.9.1'], []],
    ['linux/arm64', [], ['1.9.0'], []],
    ['darwin/arm64', ['--platform', 'linux/amd64'], ['1.9.1'], []],
    ['linux/x64', ['--platform', 'linux/arm64'], ['1.9.0'], []],
    [
      'darwin/arm64',
      [],
      [],
      ['this machine is "darwin/arm64", and modules run on linux/amd64 and linux/arm64'],
    ],
    [
      'linux/arm',
      [],
      [],
      ['this machine is "linux/arm", and modules run on linux/amd64 and linux/arm64'],
    ],
  ])('on %s %j', async (platform, options, answer, errors) => {
    const outcome = await runCommandLine(
      ['resolve', 'acme:lidar', '1.9.*', ...options],
      quietWorld(platform),
    );
    expect(outcome.answer).toEqual(answer);
    expect(
      outcome.problems.filter(({ severity }) => severity === 'error').map(({ message }) => message),
    ).toEqual(errors);
  });
});

it.each([
  [[], '0 entries'],
  [['1.0.0'], '1 entry'],
  [['1.0.0', '1.0.1'], '2 entries'],
])('a list of %j has %s', async (versions, expected) => {
  const releases = versions.map((version) => ({ version }));
  const folder = temporaryFolder({ 'acme/lidar.json': JSON.stringify({ releases }) });
  const args = ['resolve', 'acme:lidar', '1.*', '--explain', '--registry', folder];
  const { answer } = await runCommandLine(args, quietWorld('linux/x64'));
  expect(answer).toContain(`  list         ${expected} from "${folder}"`);
});

/** What every command loads, and what all but a plain `resolve` do. */
const ALWAYS = 'fastest-levenshtein main.cjs modreg.mjs node:fs node:path node:util';
const PARSER = 'commander node:events node:process program.cjs';

it.each([
  ['--version', `node:url ${PARSER}`],
  ['resolve acme:cam latest', 'resolve.cjs'],
  ['resolve acme:cam 1.x', 'resolve.cjs'],
  ['resolve acme:cam 1.* --explain', `resolve.cjs ${PARSER}`],
  [
    'resolve npm:typescript latest --registry test/fixtures/registry',
    'folder.cjs node:fs/promises resolve.cjs',
  ],
  ['check examples/machine.json', `check.cjs croner jsonc-parser resolve.cjs valibot ${PARSER}`],
])('%s loads only what it needs', (args, more) => {
  const { stderr } = spawnSync(`${ROOT}bin/modreg`, args.split(' '), {
    cwd: ROOT,
    encoding: 'utf8',
    env: {
      PATH: process.env['PATH'],
      NODE_OPTIONS: `--import=${ROOT}test/cli/support/print-modules.ts`,
    },
  });
  const loaded = `${ALWAYS} ${more}`.split(' ').toSorted();
  expect(stderr.split('\n').at(-2)).toBe(`loaded: ${loaded.join(' ')}`);
});
