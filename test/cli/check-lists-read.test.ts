import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { inProcess } from '../support/in-process.ts';
import { loopbackRegistry, requestsMade } from '../support/loopback.ts';
import { homeAfter } from '../support/machine-home.ts';
import { entry } from '../support/planned.ts';
import { published } from '../support/published.ts';
import { ROOT } from '../support/modreg.ts';
import { sh } from '../support/shell.ts';
import { site } from '../support/site.ts';
import { checked, machineWith } from './support/checked-site.ts';

describe('modreg check --registry as a command', () => {
  it('[D116] a pin in quarantine on this machine', async () => {
    const PLATFORM_HOME = homeAfter(() => undefined);
    const folder = site({
      machine: machineWith(entry('acme:lidar', '1.2.3')),
      policy: {},
      lists: { 'acme/lidar': ['1.2.3', '1.2.4'] },
    });
    const add = ['quarantine', 'add', 'acme:lidar', '1.2.3', '--reason', 'stops the motor'];
    expect((await inProcess(add, { PLATFORM_HOME })).exit).toBe(0);
    const args = ['check', `${folder}/machine.json`, '--registry', `${folder}/lists`];
    const { stdout, exit } = await inProcess(args, { PLATFORM_HOME });
    expect([stdout.split('\n')[0]?.replace(/^\S+ +/, ''), exit]).toEqual([
      'error[QUARANTINED]  /modules/0/version: acme:lidar 1.2.3 is published but refused: quarantined on this machine (stops the motor); 1.2.* selects 1.2.4; latest selects 1.2.4',
      1,
    ]);
  });

  it('reads a machine config and a policy from pipes once', () => {
    const folder = site({ machine: {}, policy: {}, lists: { 'acme/lidar': ['1.2.9'] } });
    const machine = JSON.stringify(machineWith(entry('acme:lidar', '1.*')));
    const policy = '{"refuse": {"acme:lidar": ["1.2.9"]}}';
    const check = `${ROOT}bin/modreg check - --policy /dev/fd/3 --registry ${folder}/lists`;
    const told = sh(`echo '${policy}' | { echo '${machine}' | ${check}; } 3<&0`);
    expect(told).toContain('1.2.9: refused by the policy of the site: 1.2.9');
  });

  it('finds nothing wrong with a subsystem whose version is not known, and else names its option', async () => {
    const agent = { 'platform-server': { pin_version: '1.4.0' } };
    const lists = { 'platform/server': ['1.3.0'] };
    expect((await checked({ machine: { agent }, lists })).exit).toBe(0);
    const target = { kind: 'subsystem', name: 'platform-server' } as const;
    const PLATFORM_HOME = homeAfter((state) => state.report(target, '1.3.0', 0));
    const folder = site({ machine: { agent }, policy: {}, lists });
    const args = ['check', `${folder}/machine.json`, '--registry', `${folder}/lists`];
    const { stdout } = await inProcess(args, { PLATFORM_HOME });
    expect(stdout.split('\n')[0]?.replace(/^\S+ +/, '')).toBe(
      'error[PIN_NOT_PUBLISHED]  /agent/platform-server/pin_version: platform-server 1.4.0 is not published: the nearest published version is 1.3.0',
    );
  });

  it('shows an error of a list before fifty warnings of the document', async () => {
    const extra = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`x${at}`, 0]));
    const machine = { ...machineWith(entry('acme:lidar', '1.3.*')), ...extra };
    const { stdout } = await checked({ machine, lists: { 'acme/lidar': ['1.2.9'] } });
    const lines = stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(52);
    expect(lines.filter((line) => line.includes('error[NO_MATCH]'))).toHaveLength(1);
    expect(lines.at(-2)).toBe('/machine.json: … and 11 more');
  });

  it('counts warnings with --strict', async () => {
    const of = {
      machine: machineWith(entry('acme:lidar', '0.*')),
      lists: { 'acme/lidar': ['0.1.0'] },
    };
    expect((await checked(of)).exit).toBe(0);
    expect((await checked(of, '--strict')).exit).toBe(1);
  });

  it('shows entries of a list that are ignored, as plan does', async () => {
    const of = {
      machine: machineWith(entry('acme:lidar', '1.*')),
      lists: { 'acme/lidar': ['1.0.0', 'v2'] },
    };
    const ignored =
      'warning[IGNORED_ENTRIES]: ignored 1 of 2 entries of acme:lidar, not a version: "v2" (expected a number at character 1)\n';
    const { stderr, exit } = await checked(of);
    expect([stderr, exit]).toEqual([ignored, 0]);
    expect((await checked(of, '--strict')).exit).toBe(1);
  });

  it('leaves policies as they are without it', async () => {
    const folder = site({ machine: {}, policy: {} });
    const args = ['check', `${folder}/policy.json`, '--registry', '/nowhere', '--json'];
    const { stdout, exit } = await inProcess(args);
    expect(exit).toBe(0);
    expect(Object.keys(JSON.parse(stdout) as object)).not.toContain('lists');
  });
});

describe('[T436] a document with errors has no plan, so no list is read for it', () => {
  it('and the report says so', async () => {
    const machine = machineWith(entry('acme:lidar', '1.3'));
    const lists = { 'acme/lidar': ['0.1.0'] };
    const { stdout, exit } = await checked({ machine, lists });
    expect([stdout.trimEnd().split('\n').at(-1), exit]).toEqual([
      '1 error; 1 module read; checked against /policy.json; not checked against release lists, because of the errors',
      1,
    ]);
    const json = JSON.parse((await checked({ machine, lists }, '--json')).stdout) as object;
    expect(json).toMatchObject({ errors: 1, lists: null });
    const refused = { machine: machineWith(), policy: { registry: 5 } };
    expect(JSON.parse((await checked(refused, '--json')).stdout)).toMatchObject({ lists: null });
  });
});

describe('[T437] lists are read as plan reads them', () => {
  it('of an embedded registry with the requests of plan, and again from what was saved', async () => {
    const registry = await loopbackRegistry();
    published(registry, 'acme:lidar', '1.2.9');
    published(registry, 'acme:arm', '1.0.0');
    const folder = temporaryFolder({
      'machine.json': JSON.stringify(
        machineWith(entry('acme:lidar', '1.3.*'), entry('acme:arm', '1.0.0')),
      ),
    });
    const home = { PLATFORM_HOME: temporaryFolder() };
    const args = ['check', `${folder}/machine.json`, '--registry', registry.address, '--json'];
    const requests = requestsMade();
    const fresh = await inProcess(args, home);
    expect(JSON.parse(fresh.stdout)).toMatchObject({
      lists: { needed: 2, read: 2 },
      problems: [{ code: 'NO_MATCH', path: '/modules/0/version' }],
    });
    expect([fresh.stderr, fresh.exit]).toEqual(['', 1]);
    const count = requests.length;
    expect(count).toBeGreaterThan(0);
    const plan = ['plan', ...args.slice(1)];
    await inProcess(plan, { PLATFORM_HOME: temporaryFolder() });
    expect(requests.slice(count)).toEqual(requests.slice(0, count));
    const all = requests.length;
    const offline = await inProcess([...args, '--offline'], home);
    expect(requests).toHaveLength(all);
    const { problems } = JSON.parse(offline.stdout) as { problems: { message: string }[] };
    expect(problems).toMatchObject([
      { severity: 'warning', code: 'STALE_LIST', path: '/modules/0/module_id' },
      { severity: 'error', code: 'NO_MATCH', path: '/modules/0/version' },
      { severity: 'warning', code: 'STALE_LIST', path: '/modules/1/module_id' },
    ]);
    expect(problems[0]?.message).toMatch(
      /^offline: the registry \S+ was not contacted; the saved list was confirmed \d+ s ago, and it is checked against that$/,
    );
    const soon = await inProcess([...args, '--offline', '--max-age', '1h'], home);
    expect(JSON.parse(soon.stdout)).toMatchObject({ problems: [{ code: 'NO_MATCH' }] });
  });

  it('[T435] without an answer and a saved list, each entry says so', async () => {
    const folder = temporaryFolder({
      'machine.json': JSON.stringify(machineWith(entry('acme:lidar', '1.2.3'))),
    });
    const args = ['check', `${folder}/machine.json`, '--offline'];
    const registry = ['--registry', 'https://registry.example'];
    const { stdout, exit } = await inProcess([...args, ...registry], {
      PLATFORM_HOME: temporaryFolder(),
    });
    expect(exit).toBe(1);
    expect(stdout.replace(/^\S+ +/, '').split('\n')).toEqual([
      'error[REGISTRY_UNREACHABLE]  /modules/0/module_id: offline: the registry https://registry.example was not contacted, and no list of acme:lidar is saved; it is not checked against a list',
      '1 error; 1 module read; checked against 0 of 1 release list',
      '',
    ]);
  });

  it.each<[readonly string[], string, number]>([
    [
      ['--registry', 'http://registry.example'],
      'error[BAD_ADDRESS]: a response from the registry at http://registry.example',
      2,
    ],
    [['--registry', '/nowhere', '--platform', 'linux/mips'], 'error[BAD_PLATFORM]', 2],
    [['--offline'], 'error[USAGE]: --offline is about release lists, which --registry names', 2],
    [
      ['--max-age', '1h'],
      'error[USAGE]: --max-age is about release lists, which --registry names',
      2,
    ],
    [
      ['--platform', 'linux/arm64'],
      'error[USAGE]: --platform is about release lists, which --registry names',
      2,
    ],
  ])('%j', async (options, start, exit) => {
    const folder = site({ machine: machineWith(entry('acme:lidar', '1.*')), policy: {} });
    const ended = await inProcess(['check', `${folder}/machine.json`, ...options]);
    expect([ended.stdout, ended.exit]).toEqual(['', exit]);
    expect(ended.stderr.slice(0, start.length)).toBe(start);
  });
});
