import { describe, expect, it } from 'vitest';
import { moduleId } from '../support/ask.ts';
import { moduleNamed } from '../support/claimed.ts';
import { planned, printed } from '../support/command.ts';
import { homeAfter } from '../support/machine-home.ts';
import { entry } from '../support/planned.ts';
import { NOON, site } from '../support/site.ts';

const LISTS = { 'acme/lidar': ['1.0.0', '1.0.1'] };
const OLD = { acme_lidar: '1.0.0' };

describe('the problems of a plan', () => {
  it('name three of the modules that share one, and count the rest', async () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const machine = { modules: names.map((name) => entry('acme:lidar', '1.*', name)) };
    const deployed = Object.fromEntries(names.map((name) => [name, '1.0.1']));
    const { stderr } = await planned({ machine, deployed, lists: LISTS });
    expect(stderr).toEqual([
      'warning[CONFLICTING_CONSTRAINTS]: another entry has this module_id; each is resolved separately: acme:lidar (a), acme:lidar (b), acme:lidar (c), and 2 more',
    ]);
    const absent = { 'acme/cam': ['1.0.0'] };
    const missing = await planned({ machine, deployed: { ...deployed, b: null }, lists: absent });
    expect(missing.stderr[0]).toBe(
      'error[UNKNOWN_MODULE]: the folder "./lists" has no module acme:lidar; acme:lidar (a) stays at 1.0.1, acme:lidar (b) is not installed, acme:lidar (c) stays at 1.0.1, and 2 more',
    );
  });

  it('say that a pinned version is in quarantine, and what stays', async () => {
    const lidar = moduleNamed('acme_lidar', 'acme:lidar');
    const PLATFORM_HOME = homeAfter((state) => {
      state.report(lidar, '1.0.0', 1);
      const found = { moduleId: moduleId('acme:lidar'), version: '1.0.1', reason: 'no light' };
      state.quarantine({ ...found, since: 1, until: undefined });
    });
    const folder = site({ machine: { modules: [entry('acme:lidar', '1.0.1')] }, lists: LISTS });
    const environment = { PLATFORM_HOME };
    const args = ['plan', `${folder}/machine.json`, ...NOON];
    const { stderr, exit } = await printed(args, { environment });
    expect([stderr, exit]).toEqual([
      [
        'error[QUARANTINED]: acme:lidar: the pin was refused by an operator (no light) and is quarantined; acme:lidar stays at 1.0.0',
      ],
      1,
    ]);
  });

  it('are the code of a module whose list cannot be read', async () => {
    const machine = { modules: [entry('acme:lidar', '1.*')] };
    const lists = { 'acme/cam': [] };
    const { stdout } = await planned({ machine, deployed: OLD, lists }, '--json');
    expect(JSON.parse(stdout[0] ?? '')).toMatchObject({
      modules: [{ decision: 'stuck', code: 'unknown-module', list: null, latest: null }],
    });
  });

  it('of an unreadable policy are not followed by errors about what it may allow', async () => {
    const env = { KEY: '${environment.PLATFORM_API_KEY}' };
    const machine = { modules: [{ ...Object(entry('acme:lidar', '1.*')), env }] };
    const policy = { env_allow: ['PLATFORM_API_KEY'], restart_ceiling: 0 };
    const { stderr, exit } = await planned({ machine, policy });
    expect([stderr.filter((line) => line.startsWith('error')), exit]).toEqual([
      ['error[BAD_VALUE]: the policy ./policy.json has 1 error'],
      1,
    ]);
  });
});

it('--json lists the newest hundred refused releases', async () => {
  const versions = Array.from({ length: 101 }, (_, place) => `1.0.${place}`);
  const releases = versions.map((text) => ({ version: text, yanked: 'x' }));
  const lists = { 'acme/lidar': [{ version: '0.9.0' }, ...releases] };
  const machine = { modules: [entry('acme:lidar', 'latest')] };
  const { stdout } = await planned({ machine, deployed: { acme_lidar: '0.9.0' }, lists }, '--json');
  const { modules } = JSON.parse(stdout[0] ?? '') as {
    modules: { newer: { version: string }[] }[];
  };
  const newer = modules[0]?.newer.map((one) => one.version) ?? [];
  expect([newer.length, newer[0], newer.at(-1)]).toEqual([100, '1.0.100', '1.0.1']);
});
