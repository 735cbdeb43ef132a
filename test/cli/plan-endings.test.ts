import { describe, expect, it } from 'vitest';
import { component, entry } from '../support/planned.ts';
import { planFor, site, type Site } from '../support/site.ts';

const LIDAR = {
  modules: [entry('acme:lidar', '1.2.*')],
  components: [component('lidar', 'acme:lidar:x')],
};
const LISTS = { 'acme/lidar': ['1.2.3', '1.2.9'] };

interface Ending {
  readonly site: Site;
  readonly options: readonly string[];
  readonly exit: number;
  readonly stderr: string;
}

describe('the exit code and stderr of modreg plan', () => {
  it.each<[string, Ending]>([
    [
      'up to date',
      {
        site: { machine: LIDAR, deployed: { acme_lidar: '1.2.9' }, lists: LISTS },
        options: ['--exit-code'],
        exit: 0,
        stderr: '',
      },
    ],
    [
      'an upgrade is due, without --exit-code',
      {
        site: { machine: LIDAR, deployed: { acme_lidar: '1.2.3' }, lists: LISTS },
        options: [],
        exit: 0,
        stderr: '',
      },
    ],
    [
      'an upgrade is due',
      {
        site: { machine: LIDAR, deployed: { acme_lidar: '1.2.3' }, lists: LISTS },
        options: ['--exit-code'],
        exit: 10,
        stderr: '',
      },
    ],
    [
      'an install is due',
      {
        site: { machine: LIDAR, deployed: { acme_lidar: null }, lists: LISTS },
        options: ['--exit-code'],
        exit: 10,
        stderr: '',
      },
    ],
    [
      'several options cannot be parsed',
      {
        site: { machine: LIDAR, deployed: {}, lists: LISTS },
        options: ['--max-age', 'soon', '--platform', 'win32/x64', '--at', 'now'],
        exit: 2,
        stderr: `error[BAD_PLATFORM]: "win32/x64" is not a platform
  win32/x64
  ^ expected linux/amd64 or linux/arm64
error[BAD_TIME]: "now" is not a time
  now
  ^ expected a time such as +12h, -2d, tomorrow, 2026-11-21T01:02:03Z or 2026-11-22T06:00 Europe/Berlin
error[USAGE]: --max-age: "soon" is not a duration, expected a whole number and one of s, m, h, d, at most ten years, such as 5m
`,
      },
    ],
    [
      'a downgrade is held',
      {
        site: {
          machine: LIDAR,
          deployed: { acme_lidar: '2.0.0' },
          lists: LISTS,
          policy: { registry: './lists', allow_downgrade: false },
        },
        options: ['--exit-code'],
        exit: 10,
        stderr: 'warning[DOWNGRADE]: acme:lidar: the policy does not allow downgrades\n',
      },
    ],
    [
      'fields of the policy and of the agent configuration are misspelt',
      {
        site: {
          machine: { ...LIDAR, agent: { 'platform-agent': { disable_subsystem: true } } },
          deployed: { acme_lidar: '1.2.9' },
          policy: { registry: './lists', minimum_relase_age: '14d' },
          lists: LISTS,
        },
        options: [],
        exit: 1,
        stderr: `error[BAD_VALUE]: the machine config ./machine.json has 1 error
  because 1:229 UNKNOWN_FIELD /agent/platform-agent/disable_subsystem: unknown field
hint: modreg check ./machine.json --as machine shows them all
error[BAD_VALUE]: the policy ./policy.json has 1 error
  because 1:23 UNKNOWN_FIELD /minimum_relase_age: unknown field; did you mean minimum_release_age ?
hint: modreg check ./policy.json --as policy shows them all
`,
      },
    ],
    [
      '[D242] a name in the policy is misspelt',
      {
        site: {
          machine: LIDAR,
          deployed: { acme_lidar: '1.2.9' },
          policy: {
            registry: './lists',
            modules: { 'acme-lidar': {}, other_module: {}, 'platform-server': {} },
          },
          lists: LISTS,
        },
        options: [],
        exit: 0,
        stderr: `warning[UNKNOWN_REFERENCE]: the policy ./policy.json names "acme-lidar", which is not a module entry or a subsystem
  did you mean acme_lidar ?
`,
      },
    ],
    [
      'a field of the machine config is unknown, with --strict',
      {
        site: {
          machine: { ...LIDAR, moduls: [] },
          deployed: { acme_lidar: '1.2.9' },
          lists: LISTS,
        },
        options: ['--strict'],
        exit: 1,
        stderr: `warning[UNKNOWN_FIELD]: ./machine.json:1:202 /moduls: unknown field
  did you mean modules ?
`,
      },
    ],
    [
      'nothing warns, with --strict',
      {
        site: { machine: LIDAR, deployed: { acme_lidar: '1.2.9' }, lists: LISTS },
        options: ['--strict'],
        exit: 0,
        stderr: '',
      },
    ],
    [
      'the document is no machine config',
      {
        site: { machine: { modulse: [] }, lists: LISTS },
        options: [],
        exit: 1,
        stderr: `error[BAD_VALUE]: the machine config ./machine.json has 1 error
  because 1:1 MISSING: found no field of a machine config, expected components, modules, agent; did you mean modules ?
hint: modreg check ./machine.json --as machine shows them all
`,
      },
    ],
    [
      'the machine is empty on purpose',
      { site: { machine: {} }, options: [], exit: 0, stderr: '' },
    ],
    [
      'the deployed version is not known',
      {
        site: { machine: LIDAR, deployed: { acme_lida: '1.2.3' }, lists: LISTS },
        options: ['--exit-code'],
        exit: 1,
        stderr: `error[DEPLOYED_UNKNOWN]: acme:lidar: the deployed version is not known
hint: pass --deployed <file> with JSON such as {"acme_lidar": "1.2.3"}, by the names of module entries; null means not deployed
warning[UNKNOWN_REFERENCE]: the report of deployed versions names "acme_lida", which is not a module entry or a subsystem
  did you mean acme_lidar ?
`,
      },
    ],
    [
      'the registry does not have two modules',
      {
        site: {
          machine: { modules: [entry('acme:lidar', '1.*'), entry('acme:arm', '1.*')] },
          deployed: { acme_lidar: '1.2.3', acme_arm: null },
          lists: { 'acme/cam': [] },
        },
        options: [],
        exit: 3,
        stderr: `error[UNKNOWN_MODULE]: the folder "./lists" has no module acme:lidar; acme:lidar stays at 1.2.3
hint: namespace acme has 1 module: cam
error[UNKNOWN_MODULE]: the folder "./lists" has no module acme:arm; acme:arm is not installed
  did you mean acme:cam ?
hint: namespace acme has 1 module: cam
`,
      },
    ],
    [
      'no registry is contacted',
      {
        site: {
          machine: { modules: [entry('acme:lidar', '1.*'), entry('acme:arm', '1.*')] },
          deployed: { acme_lidar: '1.2.3', acme_arm: null },
          policy: { registry: 'http://127.0.0.1:1' },
        },
        options: ['--offline'],
        exit: 4,
        stderr: `error[REGISTRY_UNREACHABLE]: offline: the registry http://127.0.0.1:1 was not contacted, and no list of acme:lidar is saved; acme:lidar stays at 1.2.3
error[REGISTRY_UNREACHABLE]: offline: the registry http://127.0.0.1:1 was not contacted, and no list of acme:arm is saved; acme:arm is not installed
`,
      },
    ],
    [
      'no registry is named',
      {
        site: { machine: LIDAR, policy: {} },
        options: [],
        exit: 2,
        stderr:
          'error[NO_REGISTRY]: no registry is named\nhint: name one with --registry, else MODREG_REGISTRY, else "registry" in the policy of --policy, or create $PLATFORM_HOME/registry.db\n',
      },
    ],
    [
      'the documents have errors',
      {
        site: {
          machine: { modules: [entry('acme:lidar', '1.2.x')] },
          deployed: { acme_lidar: 1.2 },
          policy: { minimum_relase_age: '1d', registry: 7 },
        },
        options: [],
        exit: 1,
        stderr: `error[BAD_VALUE]: the machine config ./machine.json has 1 error
  because 1:87 BAD_CONSTRAINT /modules/0/version: "1.2.x" is not a version constraint; did you mean 1.2.* ?
hint: modreg check ./machine.json --as machine shows them all
error[BAD_VALUE]: the policy ./policy.json has 2 errors
  because 1:2 UNKNOWN_FIELD /minimum_relase_age: unknown field; did you mean minimum_release_age ?
  1:39 BAD_TYPE /registry: found a number, expected the address of a registry
hint: modreg check ./policy.json --as policy shows them all
error[BAD_VALUE]: the report of deployed versions ./deployed.json has 1 error
  because 1:15 BAD_TYPE /acme_lidar: found a number, expected a version as text, or null for an entry that is not deployed
`,
      },
    ],
  ])('%s', async (_, { site: described, options, exit, stderr }) => {
    const folder = site(described);
    const ended = await planFor(folder, ...options);
    const found = ended.stderr.replaceAll(folder, '.');
    expect([found, ended.exit]).toEqual([stderr, exit]);
  });
});
