import { chmodSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { published } from '../support/published.ts';
import { printed } from '../support/command.ts';
import { day } from '../support/day.ts';
import { temporaryFolder } from '../support/folder.ts';
import { loopbackRegistry } from '../support/loopback.ts';
import { logged, homeAfter } from '../support/machine-home.ts';
import { component, entry } from '../support/planned.ts';
import { site } from '../support/site.ts';

const NOON = Date.parse('2026-11-21T12:00:00Z');
const [MINUTE, DAY] = [60_000, 86_400_000];

describe('the age of a list from the network', () => {
  it('is in what resolve and plan print, from the confirmation of the oldest list', async () => {
    const [one, two] = [await loopbackRegistry(), await loopbackRegistry()];
    for (const registry of [one, two]) published(registry, 'acme:lidar', '1.0.0');
    const names = ['acme_lidar', 'b', 'c', 'd', 'e'];
    const folder = site({
      machine: { modules: names.map((name) => entry('acme:lidar', '1.*', name)) },
      deployed: Object.fromEntries(names.map((name) => [name, '1.0.0'])),
      policy: { registry: one.address, modules: { e: { registry: two.address } } },
    });
    const environment = { PLATFORM_HOME: temporaryFolder() };
    const at = async (now: number, ...args: readonly string[]) =>
      await printed(args, { environment, clock: () => now });
    const resolve = ['resolve', 'acme:lidar', '1.*', '--explain', '--registry'];
    const listLine = async (now: number, address: string, ...more: readonly string[]) => {
      const { stdout, stderr } = await at(now, ...resolve, address, ...more);
      return [stdout.find((line) => line.startsWith('  list')), ...stderr];
    };
    expect(await listLine(NOON, one.address)).toEqual([
      `  list         1 entry from ${one.address}, confirmed 2026-11-21T12:00:00Z`,
    ]);
    await listLine(NOON + 3 * MINUTE, two.address);
    const offline = `offline: the registry ${one.address} was not contacted`;
    expect(await listLine(NOON + 5 * MINUTE, one.address, '--offline')).toEqual([
      `  list         1 entry from ${one.address}, saved 2026-11-21T12:00:00Z`,
      `warning[STALE_LIST]: ${offline}; answered from the list saved 5 min ago`,
    ]);
    const files = [`${folder}/machine.json`, '--deployed', `${folder}/deployed.json`];
    const plan = async (now: number, ...more: readonly string[]) => {
      const { stdout, stderr, exit } = await at(now, 'plan', ...files, '--offline', ...more);
      const first = stderr.find((line) => /^(error|warning)\[/.test(line));
      return [stdout[0]?.split('   ').at(-1), first, exit];
    };
    expect(await plan(NOON + 5 * MINUTE)).toEqual([
      'lists from 2 registries, 5 min old',
      `warning[STALE_LIST]: ${offline}; the saved list is used: acme:lidar, acme:lidar (b), acme:lidar (c), and 1 more`,
      0,
    ]);
    const kept = ['acme:lidar', 'acme:lidar (b)', 'acme:lidar (c)'].map(
      (one_) => `${one_} stays at 1.0.0`,
    );
    const stuck = `error[LIST_STALE]: ${offline}; the saved list was confirmed`;
    const rest = `${kept.join(', ')}, and 1 more`;
    expect(await plan(NOON + 8 * DAY)).toEqual([
      '5 modules',
      `${stuck} 8 d ago (limit 7 d); ${rest}`,
      4,
    ]);
    expect(await plan(NOON + 5 * MINUTE, '--at', '2026-11-29T12:00:00Z')).toEqual([
      'lists from 2 registries, 8 d old',
      `${stuck} more than 7 d ago; ${rest}`,
      4,
    ]);
    expect(await plan(NOON + 5 * MINUTE, '--at', '2026-11-21T11:00:00Z')).toEqual([
      'lists from 2 registries, 0 s old',
      `${stuck} by a clock ahead of this one; ${rest}`,
      4,
    ]);
  });
});

describe('the entries of a list that cannot be used', () => {
  it.each([
    [1, '1 part', ['  because /releases/0/yanked is the number 7, expected a string']],
    [
      4,
      '4 parts',
      ['  because /releases/0/yanked', '  /releases/1/yanked', '  /releases/2/yanked'].map(
        (place) => `${place} is the number 7, expected a string`,
      ),
    ],
  ])('%i parts', async (count, parts, because) => {
    const releases = Array.from({ length: count }, (_, place) => ({
      version: `1.0.${place}`,
      yanked: 7,
    }));
    const list = JSON.stringify({ releases: [...releases, { version: '0.9.0' }] });
    const folder = temporaryFolder({ 'acme/lidar.json': list });
    const { stderr } = await printed(['resolve', 'acme:lidar', 'latest', '--registry', folder]);
    expect(stderr).toEqual([
      `warning[IGNORED_ENTRIES]: ignored ${parts} of the list of acme:lidar`,
      ...because,
    ]);
  });

  it.each([
    [3, '"a" (E), "b" (E), "c" (E)'],
    [4, '"a" (E), "b" (E), "c" (E), …'],
  ])('%i entries', async (count, named) => {
    const versions = ['a', 'b', 'c', 'd'].slice(0, count);
    const releases = [...versions, '0.9.0'].map((version) => ({ version }));
    const folder = temporaryFolder({ 'acme/lidar.json': JSON.stringify({ releases }) });
    const { stderr } = await printed(['resolve', 'acme:lidar', 'latest', '--registry', folder]);
    const message = named.replaceAll('E', 'expected a number at character 1');
    expect(stderr).toEqual([
      `warning[IGNORED_ENTRIES]: ignored ${count} of ${count + 1} entries of acme:lidar, not a version: ${message}`,
    ]);
  });
});

describe('the sample catalogue', () => {
  it('is noted, except with --json', async () => {
    const note =
      'note: no registry is named, so the built-in sample catalogue is used (--registry names one)';
    for (const command of ['resolve acme:cam latest', 'compare acme:cam', 'resolve acme:no 1.*']) {
      const person = await printed(command.split(' '));
      const data = await printed([...command.split(' '), '--json']);
      expect([person.stderr[0], data.stderr.includes(note)]).toEqual([note, false]);
    }
  });
});

describe('modreg resolve and compare', () => {
  it.each<[string, object]>([
    [
      'resolve acme:cam latest --at 2026-11-21T12:00:00Z --json',
      { at: '2026-11-21T12:00:00Z', platform: 'linux/arm64', version: '1.3.0', latest: '1.3.0' },
    ],
    ['resolve acme:cam 3.* --explain --json', { at: null, version: null, latest: '1.3.0' }],
    [
      'compare acme:cam --at 2026-11-21T12:00:00Z --json',
      { at: '2026-11-21T12:00:00Z', platform: 'linux/arm64', deployed: null },
    ],
  ])('%s', async (command, fields) => {
    const { stdout } = await printed(command.split(' '));
    expect(JSON.parse(stdout[0] ?? '')).toMatchObject(fields);
  });

  it('prints no answer with --json if no release matches, except with --explain', async () => {
    const { stdout, exit } = await printed(['resolve', 'acme:cam', '3.*', '--json']);
    expect([stdout, exit]).toEqual([[], 1]);
  });

  it('sums up the answer on a terminal, with what is newer', async () => {
    const sample = await printed(['resolve', 'acme:lidar', '1.9.*'], { isTerminal: true });
    expect(sample.stderr[1]).toBe(
      'acme:lidar 1.9.* → 1.9.0   (minor: newest patch of 1.9 that may be selected; 1.9.1 has no artifact for linux/arm64; published for linux/amd64; latest is 2.0.1)',
    );
    const folder = temporaryFolder({ 'acme/x.json': '{"releases": [{"version": "1.0.0-rc.1"}]}' });
    const args = ['resolve', 'acme:x', 'latest-with-prerelease', '--registry', folder];
    expect((await printed(args, { isTerminal: true })).stderr).toEqual([
      'acme:x latest-with-prerelease → 1.0.0-rc.1   (latest-with-prerelease: newest release or prerelease; latest is none)',
    ]);
  });

  it('says why the refusals of this machine are not known', async () => {
    const home = homeAfter((state) =>
      state.log([logged('acme_cam', { moduleId: 'acme:cam' })], { at: 1, trouble: undefined }),
    );
    const environment = { PLATFORM_HOME: home };
    const resolve = async (...more: readonly string[]) =>
      await printed(['resolve', 'acme:cam', 'latest', ...more], { environment });
    const { stdout, stderr, exit } = await resolve('--machine');
    expect([stdout, stderr, exit]).toEqual([
      [],
      [
        'error[NOT_RECORDED]: what this machine refuses of acme:cam is not known: no decision about it is recorded',
      ],
      1,
    ]);
  });
});

it('resolve --machine is for the platform of the machine, unless one is named', async () => {
  const machine = await day({
    machine: { modules: [entry('acme:lidar', '1.*')] },
    deployed: { acme_lidar: '1.0.0' },
    releases: { 'acme:lidar': [{ version: '1.0.0' }] },
    platform: 'linux/arm64',
  });
  await machine.pass(10 * MINUTE);
  const lidar = ['resolve', 'acme:lidar', '1.*', '--machine'];
  expect(await printed(lidar, { environment: { PLATFORM_HOME: machine.home } })).toEqual({
    stdout: [],
    stderr: [
      'error[NO_REGISTRY]: no registry is named',
      `hint: name one with --registry, else MODREG_REGISTRY, else "registry" in the policy of --policy, or create ${machine.home}/registry.db`,
    ],
    exit: 2,
  });
  const folder = temporaryFolder({ 'acme/lidar.json': '{"releases": [{"version": "1.0.0"}]}' });
  const world = { environment: { PLATFORM_HOME: machine.home }, platform: 'linux/x64' };
  const resolve = ['resolve', 'acme:lidar', '1.*', '--explain', '--registry', folder];
  const platform = async (...more: readonly string[]): Promise<string | undefined> => {
    const { stdout } = await printed([...resolve, ...more], world);
    return stdout.find((line) => line.startsWith('  platform'))?.split(/ {2,}/)[2];
  };
  expect([
    await platform(),
    await platform('--machine'),
    await platform('--machine', '--platform', 'linux/amd64'),
  ]).toEqual(['linux/amd64', 'linux/arm64', 'linux/amd64']);
});

it('[T65] a secret in a file that others can read is an error of plan, too', async () => {
  const attributes = { hotspot_password: 'secret-text' };
  const machine = { agent: { 'agent-provisioning': { attributes } } };
  const folder = site({ machine });
  const plan = async (mode: number): Promise<unknown> => {
    chmodSync(`${folder}/machine.json`, mode);
    const { stderr, exit } = await printed(['plan', `${folder}/machine.json`]);
    return [exit, ...stderr.slice(0, 2).map((line) => line.replaceAll(folder, '.'))];
  };
  expect([await plan(0o600), await plan(0o644)]).toEqual([
    [0],
    [
      1,
      'error[BAD_VALUE]: the machine config ./machine.json has 1 error',
      '  because 1:66 PERMISSIONS /agent/agent-provisioning/attributes/hotspot_password: a secret in a file with mode 0644, which other users can access; chmod 600 restricts the file to its owner',
    ],
  ]);
});

describe('the problems of a document', () => {
  it('are three errors in the message of a command that needs it', async () => {
    const modules = Array.from({ length: 4 }, () => 7);
    const folder = site({ machine: { modules, moduls: [] }, deployed: { a: 1, b: 2 } });
    const { stderr, exit } = await printed(['plan', `${folder}/machine.json`]);
    expect([stderr.map((line) => line.replaceAll(folder, '.')), exit]).toEqual([
      [
        'error[BAD_VALUE]: the machine config ./machine.json has 4 errors',
        '  because 1:13 BAD_TYPE /modules/0: found a number, expected an object',
        '  1:15 BAD_TYPE /modules/1: found a number, expected an object',
        '  1:17 BAD_TYPE /modules/2: found a number, expected an object',
        'hint: modreg check ./machine.json --as machine shows them all',
      ],
      1,
    ]);
  });

  it('are lines of at most 300 characters, and whole in --json', async () => {
    const name = 'm'.repeat(190);
    const components = [component(`${name}1`, 'gpio', `${name}2`)];
    const folder = temporaryFolder({ 'm.json': JSON.stringify({ components }) });
    const { stdout } = await printed(['check', `${folder}/m.json`]);
    const text = stdout[0]?.split('  ').at(-1) ?? '';
    expect([text.length, text.at(-1)]).toEqual([300, '…']);
    const json = (await printed(['check', `${folder}/m.json`, '--json'])).stdout[0] ?? '';
    expect(JSON.parse(json)).toMatchObject({ problems: [{ suggestion: `${name}1` }] });
  });

  it('of a document and its policy are counted together, in aligned columns', async () => {
    const folder = temporaryFolder({
      'machine.json': '{"modules":[7],"moduls":[]}',
      'policy.json': '{"quarantine":7,"x":1,"y":2}',
    });
    const { stdout, exit } = await printed(['check', `${folder}/machine.json`]);
    expect([stdout.map((line) => line.replaceAll(folder, '.')), exit]).toEqual([
      [
        './machine.json:1:13  error[BAD_TYPE]         /modules/0: found a number, expected an object',
        './machine.json:1:16  warning[UNKNOWN_FIELD]  /moduls: unknown field; did you mean modules ?',
        './policy.json:1:15   error[BAD_TYPE]         /quarantine: found a number, expected a duration or until-lifted',
        './policy.json:1:17   error[UNKNOWN_FIELD]    /x: unknown field',
        './policy.json:1:23   error[UNKNOWN_FIELD]    /y: unknown field',
        '4 errors, 1 warning; 1 module read; not checked against ./policy.json',
      ],
      1,
    ]);
    const json = await printed(['check', `${folder}/machine.json`, '--json']);
    expect(JSON.parse(json.stdout[0] ?? '')).toMatchObject({
      file: `${folder}/machine.json`,
      policy: `${folder}/policy.json`,
      errors: 4,
      warnings: 1,
    });
  });

  it('of a policy alone make the check of a document fail, with --strict also its warnings', async () => {
    const folder = temporaryFolder({
      'machine.json': '{}',
      'policy.json': '{"registry":"https://registry.example"}',
    });
    const exit = async (...options: readonly string[]): Promise<number> =>
      (await printed(['check', `${folder}/machine.json`, ...options])).exit;
    expect([await exit(), await exit('--strict')]).toEqual([0, 1]);
  });
});
