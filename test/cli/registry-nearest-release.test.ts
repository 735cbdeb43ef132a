import { describe, expect, it } from 'vitest';
import { printed } from '../support/command.ts';
import { loopbackRegistry } from '../support/loopback.ts';
import { published } from '../support/published.ts';
import { temporaryFolder } from '../support/folder.ts';
import { tokenFor } from '../support/token.ts';

/** Runs a command about a release of a registry with acme:lidar 1.2.9 and 1.0.0, in its file or over HTTP. */
async function said(at: 'http' | 'file', args: readonly string[]): Promise<unknown> {
  const { address, catalogue } = await loopbackRegistry();
  published({ catalogue }, 'acme:lidar', '1.0.0');
  published({ catalogue }, 'acme:lidar', '1.2.9');
  const place = at === 'http' ? ['--registry', address] : ['--db', catalogue.path];
  const scopes = ['publish', 'yank', 'rollout'];
  const environment = { MODREG_TOKEN: tokenFor(catalogue, scopes, 'author') };
  const { stderr, exit } = await printed([...args, ...place], { environment });
  return [...stderr.map((line) => line.replaceAll(address, 'ADDRESS')), exit];
}

const NO_MODULE = [
  'error[UNKNOWN_MODULE]: nothing was ever published for acme:lidr',
  '  did you mean acme:lidar ?',
  'hint: namespace acme has 1 module: lidar',
  3,
];
const NO_VERSION = [
  'error[UNKNOWN_VERSION]: acme:lidar has no version 1.2.8',
  '  did you mean 1.2.9 ?',
  'hint: acme:lidar has 2 releases: 1.2.9, 1.0.0',
  1,
];

describe('[D435] the nearest name is suggested for a release that the registry does not have', () => {
  it.each(
    (['http', 'file'] as const).flatMap((at) =>
      ['yank', 'unyank', 'deprecate', 'undeprecate', 'sign'].map((word) => [at, word] as const),
    ),
  )('%s: registry %s', async (at, word) => {
    expect(await said(at, ['registry', word, 'acme:lidr', '1.2.9'])).toEqual(NO_MODULE);
    expect(await said(at, ['registry', word, 'acme:lidar', '1.2.8'])).toEqual(NO_VERSION);
  });

  it.each(['start', 'status', 'halt'])('rollout %s', async (word) => {
    const version = await said('http', ['rollout', word, 'acme:lidar', '1.2.8']);
    expect([version].flat().slice(1, 3)).toEqual(NO_VERSION.slice(1, 3));
    const id = await said('http', ['rollout', word, 'acme:lidr', '1.2.9']);
    expect([id].flat().slice(1, 3)).toEqual(NO_MODULE.slice(1, 3));
  });

  it('none for a release that is published, but in no rollout', async () => {
    expect(await said('http', ['rollout', 'halt', 'acme:lidar', '1.2.9'])).toEqual([
      'error[UNKNOWN_ROLLOUT]: acme:lidar 1.2.9 is not published, or not in a rollout',
      1,
    ]);
  });
});

it.each(['http', 'file'] as const)(
  '[D436] notes for a published release with other content name what adds them: %s',
  async (at) => {
    const path = `${temporaryFolder({ 'notes.md': 'quieter' })}/notes.md`;
    const args = ['registry', 'publish', 'acme:lidar', '1.2.9', '--floor', '--notes', path];
    expect([await said(at, args)].flat()[1]).toBe(
      'hint: to add notes to a published release, repeat its publication with the same --upload and other options, and --notes',
    );
  },
);
