import { generateKeyPairSync } from 'node:crypto';
import { chmodSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { ReportedModule } from '../../src/registry/machine-report.ts';
import { printed, type Printed } from '../support/command.ts';
import { temporaryFolder } from '../support/folder.ts';
import { loopbackRegistry } from '../support/loopback.ts';
import { machineReport, reportedState } from '../support/machine-report.ts';
import { published } from '../support/published.ts';
import { lidarReport } from '../support/reported-facts.ts';
import { tokenFor } from '../support/token.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const NIGHT = { window: '0 1 * * *' };
const MACHINES: Readonly<Record<string, ReportedModule>> = {
  'rover-1': lidarReport({}, NOW),
  'rover-2': lidarReport(NIGHT, NOW),
  'rover-3': lidarReport({ constraint: '1.2.*' }, NOW),
};
const NOTE = 'nothing was changed; so much of acme:lidar would be published';

/** Runs `registry publish acme:lidar --dry-run` at a registry with reports of these machines, over HTTP or in its file. */
async function registryWith(machines: Readonly<Record<string, ReportedModule>>) {
  const { address, catalogue } = await loopbackRegistry();
  published({ catalogue }, 'acme:lidar', '1.2.9');
  for (const [id, module] of Object.entries(machines)) {
    const token = tokenFor(catalogue, [`machine:${id}`], id);
    await fetch(`${address}/v1/machines/${id}/reports`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(machineReport([1], { state: reportedState(1, module) })),
    });
  }
  const place = { http: ['--registry', address], file: ['--db', catalogue.path] };
  return async (
    at: keyof typeof place,
    args: readonly string[],
    scopes: readonly string[] = ['publish', 'fleet:read'],
  ): Promise<Printed> => {
    const environment = { MODREG_TOKEN: tokenFor(catalogue, scopes, 'author') };
    const all = ['registry', 'publish', 'acme:lidar', ...args, '--dry-run', ...place[at]];
    const shown = await printed(all, { environment, clock: () => NOW });
    expect(catalogue.document('acme:lidar' as never)?.bytes.toString()).not.toContain('1.4.0');
    return { ...shown, stderr: shown.stderr.map((line) => line.replaceAll(address, 'ADDRESS')) };
  };
}

const FILELESS =
  "1.4.0 would have no file, and none could be added later: modreg's agent could not install it; add --upload <file>";

/** Into a file, only a module of which other releases have files is expected to have some. */
function filelessAt(at: 'http' | 'file'): string[] {
  return at === 'http' ? [FILELESS] : [];
}

const TABLE = [
  '{',
  '  "version": "1.4.0"',
  '}',
  '',
  'acme:lidar 1.4.0 (not published): 2 of 3 machines would get it',
  '',
  '  WHEN                             MACHINES     DEPLOYED   CONSTRAINT   WHAT',
  '  now                              1: rover-1   1.2.9      1.*          upgrade, stops lidar0, nav',
  '  2026-11-22T01:00:00Z (in 13 h)   1: rover-2   1.2.9      1.*          upgrade, stops lidar0, nav',
  '  never                            1: rover-3   1.2.9      1.2.*        minor 4 is not 2',
];

describe('[D346] registry publish --dry-run shows what machines would do with a release', () => {
  it.each(['http', 'file'] as const)('by what they reported: %s', async (at) => {
    const publish = await registryWith(MACHINES);
    const { stdout, stderr, exit } = await publish(at, ['1.4.0']);
    expect([stdout, stderr, exit]).toEqual([TABLE, [NOTE, ...filelessAt(at)], 0]);
  });

  it.each(['http', 'file'] as const)('with a file that is uploaded: %s', async (at) => {
    const publish = await registryWith({ 'rover-1': lidarReport({}, NOW) });
    const lidar = `${temporaryFolder({ lidar: 'a program' })}/lidar`;
    const { stdout } = await publish(at, [
      '1.4.0',
      '--upload',
      `linux/arm64=${lidar}`,
      '--no-check',
      '--json',
    ]);
    const { machines } = JSON.parse(stdout[0] ?? '');
    expect(machines).toMatchObject([{ when: 'now', direction: 'upgrade', machines: ['rover-1'] }]);
  });

  it('with what the release requires, and its platforms', async () => {
    const publish = await registryWith({ 'rover-1': lidarReport({}, NOW) });
    const digest = `sha256:${'a'.repeat(64)}`;
    const amd = ['--artifact', 'linux/amd64=https://files.example/a', '--digest', digest];
    const { stdout } = await publish('http', ['1.4.0', ...amd, '--json']);
    const { machines, dry_run } = JSON.parse(stdout[0] ?? '');
    expect([dry_run, machines]).toEqual([
      true,
      [
        {
          when: 'never',
          at: null,
          direction: null,
          deployed: '1.2.9',
          constraint: '1.*',
          platform: 'linux/arm64',
          stops: [],
          because: 'no artifact for linux/arm64; published for linux/amd64',
          machines: ['rover-1'],
        },
      ],
    ]);
  });

  it('and says that a rollout reaches them in steps', async () => {
    const publish = await registryWith({ 'rover-1': lidarReport({}, NOW) });
    const { stderr } = await publish('file', ['1.4.0', '--rollout', '--soak', '2h']);
    expect(stderr).toEqual([NOTE, 'its rollout reaches these machines in steps, 2 h each']);
  });
});

const SAME = 'published already with the same content: 1.2.9; nothing would change';
const OTHER_CONTENT = 'acme:lidar 1.2.9 is already published with different content';
const OTHER = `error[ALREADY_PUBLISHED]: the publication would be refused: ${OTHER_CONTENT}`;
const HINT =
  'hint: a release never changes: yank it, and publish another version, with the files of all its platforms in one command';

describe('[D465] registry publish --dry-run says what would not be published', () => {
  it.each(['http', 'file'] as const)('a version that there is: %s', async (at) => {
    const publish = await registryWith({ 'rover-1': lidarReport({}, NOW) });
    const { stdout, stderr, exit } = await publish(at, ['1.2.9', '--json']);
    expect([stderr, exit]).toEqual([['nothing was changed', SAME], 0]);
    const json = JSON.parse(stdout[0] ?? '');
    expect([json.already_published, json.other_content, json.refused]).toEqual([
      ['1.2.9'],
      undefined,
      null,
    ]);
  });

  it.each([
    ['http', ['--requires', 'platform-agent=>=1']],
    ['file', ['--floor']],
    ['file', ['--published-at', '2026-01-01T00:00:00Z']],
  ] as const)('a version that there is with other content: %s, %j', async (at, options) => {
    const publish = await registryWith({ 'rover-1': lidarReport({}, NOW) });
    const { stderr, exit } = await publish(at, ['1.2.9', ...options]);
    expect([stderr[0], stderr.slice(-2), exit]).toEqual(['nothing was changed', [OTHER, HINT], 1]);
    const again = await registryWith({});
    const json = await again(at, ['1.2.9', ...options, '--json']);
    expect(JSON.parse(json.stdout[0] ?? '')).toMatchObject({
      already_published: ['1.2.9'],
      other_content: ['1.2.9'],
      refused: OTHER_CONTENT,
    });
    expect(json.exit).toBe(1);
  });

  it('one of two', async () => {
    const publish = await registryWith({});
    const folder = temporaryFolder({ 'two.json': '[{"version": "1.2.9"}, {"version": "1.5.0"}]' });
    const { stderr } = await publish('file', ['--file', `${folder}/two.json`]);
    expect(stderr.slice(0, 2)).toEqual([NOTE, SAME]);
  });

  it.each([
    ['file', OTHER],
    ['http', OTHER.replace('refused:', 'refused from 1.2.9 on:')],
  ] as const)('two, of which one has other content: %s', async (at, line) => {
    const publish = await registryWith({});
    const two = '[{"version": "1.2.9", "artifacts": []}, {"version": "1.5.0"}]';
    const folder = temporaryFolder({ 'two.json': two });
    const { stderr } = await publish(at, ['--file', `${folder}/two.json`]);
    expect([stderr[0], ...stderr.slice(-2)]).toEqual(['nothing was changed', line, HINT]);
  });

  it('further platforms of a version that there is', async () => {
    const digest = `sha256:${'a'.repeat(64)}`;
    const release = (...platforms: readonly string[]): string =>
      JSON.stringify({
        version: '1.3.0',
        artifacts: platforms.map((platform) => ({ platform, url: 'https://x.y/z', digest })),
      });
    const folder = temporaryFolder({
      'one.json': release('linux/amd64'),
      'both.json': release('linux/arm64', 'linux/amd64'),
    });
    const publish = async (file: string, ...options: readonly string[]): Promise<Printed> => {
      const args = ['registry', 'publish', 'acme:lidar', '--file', `${folder}/${file}`];
      return await printed([...args, '--db', `${folder}/registry.db`, ...options]);
    };
    await publish('one.json', '--create');
    const one = await publish('one.json', '--dry-run');
    expect(one.stderr.slice(0, 2)).toEqual(['nothing was changed', SAME.replace('1.2.9', '1.3.0')]);
    const both = await publish('both.json', '--dry-run');
    expect([both.stderr[0], ...both.stderr.slice(-2)]).toEqual([
      'nothing was changed',
      'error[ALREADY_PUBLISHED]: the publication would be refused: acme:lidar 1.3.0 is already published, for linux/amd64, and linux/arm64 cannot be added later',
      HINT,
    ]);
  });

  it('a version that there is, with a rollout', async () => {
    const publish = await registryWith({});
    const { stderr } = await publish('http', ['1.2.9', '--rollout']);
    expect(stderr.slice(0, 2)).toEqual([
      'nothing was changed',
      'published already: 1.2.9; the same content would change nothing, and other content would be refused',
    ]);
  });

  it.each([
    [{ yanked: 'burns' }, 'the publication would only yank'],
    [{ signatures: { ['0'.repeat(16)]: 'A'.repeat(86) + '==' } }, 'only signatures would be added'],
  ])('a version that there is, in a file with %j', async (fields, what) => {
    const publish = await registryWith({});
    const one = JSON.stringify([{ version: '1.2.9', ...fields }]);
    const { stderr } = await publish('file', ['--file', `${temporaryFolder({ one })}/one`]);
    expect(stderr[1]).toBe(SAME.replace('nothing would change', what));
  });

  it('a version that there is, with a signature', async () => {
    const publish = await registryWith({});
    const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' });
    const folder = temporaryFolder({ 'publish.key': pem.toString() });
    chmodSync(`${folder}/publish.key`, 0o600);
    const { stderr } = await publish('file', ['1.2.9', '--key', `${folder}/publish.key`]);
    const what = 'only signatures that it lacks would be added';
    expect(stderr[1]).toBe(SAME.replace('nothing would change', what));
  });

  it('anything, with a key that there is not', async () => {
    const publish = await registryWith({});
    const { stdout, stderr, exit } = await publish('file', ['1.4.0', '--key', '/none/publish.key']);
    expect([stdout, stderr, exit]).toEqual([
      [],
      ['error[UNREADABLE_FILE]: the file "/none/publish.key" does not exist'],
      2,
    ]);
  });
});

describe('[D346] what machines would do is not known', () => {
  it.each<[string, 'http' | 'file', readonly string[], string]>([
    ['without a report', 'http', [], 'no machine has reported acme:lidar to this registry'],
    [
      'without a report in the file',
      'file',
      [],
      'no machine has reported acme:lidar to this registry',
    ],
  ])('%s', async (_name, at, args, why) => {
    const publish = await registryWith({});
    const { stdout, stderr, exit } = await publish(at, ['1.4.0', ...args]);
    expect([stdout, stderr, exit]).toEqual([
      TABLE.slice(0, 3),
      [NOTE, ...filelessAt(at), `it is not known what machines would do: ${why}`],
      0,
    ]);
  });

  it('with a token that may not read reports', async () => {
    const publish = await registryWith(MACHINES);
    const { stderr, exit } = await publish('http', ['1.4.0'], ['publish']);
    expect([stderr.slice(2).join('\n'), exit]).toEqual([
      'it is not known what machines would do: the registry ADDRESS denies access with the token that was sent (403): the token t4 (author) does not have the scope fleet:read',
      0,
    ]);
  });

  it('without a registry', async () => {
    const folder = temporaryFolder();
    const args = ['registry', 'publish', 'acme:lidar', '1.4.0', '--dry-run', '--db'];
    const { stderr, exit } = await printed([...args, `${folder}/none.db`, '--create']);
    expect([stderr.join('\n').replaceAll(folder, '.'), exit]).toEqual([
      `${NOTE}\nit is not known what machines would do: "./none.db": there is no such file`,
      0,
    ]);
  });

  it('for several releases', async () => {
    const publish = await registryWith(MACHINES);
    const folder = temporaryFolder({ 'two.json': '[{"version": "1.4.0"}, {"version": "1.5.0"}]' });
    const { stderr } = await publish('file', ['--file', `${folder}/two.json`]);
    expect(stderr).toEqual([
      NOTE,
      'it is not known what machines would do: that is shown for a single release',
    ]);
  });
});
