import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { runCommandLine } from '../../src/cli/program.ts';
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

it('resolve loads only the packages that it uses', () => {
  const { stderr } = spawnSync(`${ROOT}bin/modreg`, ['resolve', 'acme:cam', 'latest'], {
    encoding: 'utf8',
    env: {
      PATH: process.env['PATH'],
      NODE_OPTIONS: `--import=${ROOT}test/support/print-packages.ts`,
    },
  });
  expect(stderr.split('\n').at(-2)).toBe('packages: commander fastest-levenshtein');
});
