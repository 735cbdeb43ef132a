import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { AGENT, moduleNamed } from '../support/claimed.ts';
import { contentsOf, homeAfter, polledHome } from '../support/machine-home.ts';
import { loopbackRegistry, type Loopback } from '../support/loopback.ts';
import { component, entry } from '../support/planned.ts';
import { published } from '../support/published.ts';
import { site } from '../support/site.ts';
import { watching, watchingHere, type WatchingHere } from './support/watching.ts';

const LIDAR = moduleNamed('acme_lidar', 'acme:lidar');

/** A machine with a module for each kind of decision. */
function oneOfEach(): string {
  return site({
    machine: {
      modules: [
        entry('acme:lidar', '1.2.*'),
        entry('acme:arm', '1.*', 'left'),
        entry('acme:cam', '1.*'),
        entry('acme:gps', '1.*'),
      ],
      components: [component('base', 'wheeled', 'lidar'), component('lidar', 'acme:lidar:x')],
      agent: { 'platform-server': { pin_url: 'https://builds.example/new?CANARY' } },
    },
    deployed: {
      acme_lidar: '1.2.3',
      left: '2.0.0',
      acme_gps: '1.0.0',
      'platform-server': 'https://user:CANARY@builds.example/old?CANARY',
    },
    policy: { registry: './lists', allow_downgrade: false },
    lists: {
      'acme/lidar': ['1.2.9'],
      'acme/arm': ['1.0.0'],
      'acme/cam': [],
      'acme/gps': ['1.0.0'],
    },
  });
}

/** The JSON of a component that stops. */
function stop(name: string, moduleId: string | null, ...dependsOn: readonly string[]): object {
  return { component: name, module_id: moduleId, depends_on: dependsOn };
}

function watchedSite(folder: string, ...options: readonly string[]): WatchingHere {
  return watchingHere([...documentsOf(folder), ...options]);
}

function documentsOf(folder: string): string[] {
  return [`${folder}/machine.json`, '--deployed', `${folder}/deployed.json`];
}

/** A machine with a lidar at 1.0.0, and a registry whose change feed reports each release. */
async function siteWithFeed(
  ...versions: readonly string[]
): Promise<Loopback & { folder: string }> {
  const loopback = await loopbackRegistry();
  published(loopback, 'acme:lidar', ...versions);
  const folder = site({
    machine: { modules: [entry('acme:lidar', '1.*')] },
    deployed: { acme_lidar: '1.0.0' },
    policy: { registry: loopback.address },
  });
  return { ...loopback, folder };
}

describe('modreg watch', () => {
  it('prints due actions on stdout, other decisions with reasons on stderr, and a summary when interrupted', async () => {
    const folder = oneOfEach();
    const { out, err, end } = watchedSite(folder, '--interval', '90s');
    expect(await err()).toBe(
      `watching 4 modules of ${folder}/machine.json, every 1 min 30 s (Ctrl-C stops)`,
    );
    expect([await out(), await out()]).toEqual([
      'TIME   acme:lidar   1.2.3 → 1.2.9   upgrade   newest patch of 1.2',
      'TIME   platform-server   https://builds.example/old → https://builds.example/new   upgrade   its pin_url differs from what is deployed',
    ]);
    expect([await err(), await err()]).toEqual([
      'TIME   acme:arm (left)   downgrade to 1.0.0 waits: the policy does not allow downgrades',
      'TIME   acme:cam   stuck: the deployed version is not known',
    ]);
    expect(await end('SIGINT')).toEqual({
      stdout: [],
      stderr: ['stopped after SOME: 1 round, 2 actions, 0 retries'],
      exit: 130,
    });
  });

  it('prints one object a line with --json, and no summary on SIGTERM', async () => {
    const { out, err, end } = watchedSite(oneOfEach(), '--json');
    const lines = [await out(), await out()];
    const common = { schema: 'modreg/watch@1', kind: 'restart-and-upgrade', direction: 'upgrade' };
    const timed = { decided_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) as string };
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
      {
        ...common,
        ...timed,
        from: '1.2.3',
        to: '1.2.9',
        artifact: null,
        restart: 0,
        stops: [stop('base', null, 'lidar'), stop('lidar', 'acme:lidar')],
        target: { kind: 'module', name: 'acme_lidar', module_id: 'acme:lidar' },
        reason: 'newest patch of 1.2',
      },
      {
        ...common,
        ...timed,
        restart: 0,
        stops: [stop('base', null), stop('lidar', 'acme:lidar')],
        target: { kind: 'subsystem', name: 'platform-server', module_id: null },
        from: 'https://builds.example/old',
        to: 'https://builds.example/new',
        artifact: {
          platform: 'linux/arm64',
          url: 'https://builds.example/new',
          digest: null,
          size: null,
        },
        reason: 'its pin_url differs from what is deployed',
      },
    ]);
    expect([await err(), await err()]).toEqual([
      '{"note":"acme:arm (left)   downgrade to 1.0.0 waits: the policy does not allow downgrades"}',
      '{"note":"acme:cam   stuck: the deployed version is not known"}',
    ]);
    expect(await end('SIGTERM')).toEqual({ stdout: [], stderr: [], exit: 0 });
  });

  it('prints an action once when its release is published, and ends when stdout is closed', async () => {
    const { folder, ...loopback } = await siteWithFeed('1.0.0');
    published(loopback, 'acme:lidar', '1.1.0');
    // Its stdout is a pipe.
    const { out, err, end, leave } = watching(documentsOf(folder));
    await err();
    expect(await out()).toBe(
      'TIME   acme:lidar   1.0.0 → 1.1.0   upgrade   newest release of 1   published SOME ago',
    );
    published(loopback, 'acme:lidar', '0.9.0');
    published(loopback, 'acme:lidar', '1.2.0');
    expect(await out()).toMatch(/^TIME {3}acme:lidar {3}1\.0\.0 → 1\.2\.0 /);
    writeFileSync(`${folder}/deployed.json`, '{"acme_lidar":"1.2.0"}');
    published(loopback, 'acme:lidar', '0.9.1');
    expect(await err()).toBe('TIME   acme:lidar   up to date: already the newest release of 1');
    leave();
    published(loopback, 'acme:lidar', '1.3.0');
    const { stderr, exit } = await end();
    expect([stderr, exit]).toEqual([
      [expect.stringMatching(/^stopped after SOME: \d rounds, 3 actions, 0 retries$/)],
      141,
    ]);
  });

  it('uses the documents that it read last while a document cannot be read', async () => {
    const { folder, ...loopback } = await siteWithFeed('1.0.0', '1.0.1');
    const { out, err, end } = watchedSite(folder);
    await err();
    expect(await out()).toMatch(/^TIME {3}acme:lidar {3}1\.0\.0 → 1\.0\.1 /);
    const policy = { allow_downgrade: 'perhaps' };
    writeFileSync(`${folder}/policy.json`, JSON.stringify(policy));
    writeFileSync(`${folder}/machine.json`, '{"modules":7}');
    published(loopback, 'acme:lidar', '1.1.0');
    const lines = [await err(), await err(), await err(), await err(), await err(), await err()];
    await err();
    expect(lines.map((line) => line.replaceAll(folder, '.'))).toEqual([
      'TIME   the documents that were read last stay in use, because:',
      'error[BAD_VALUE]: the machine config ./machine.json has 1 error',
      '  because 1:12 BAD_TYPE /modules: found a number, expected a list of modules',
      'hint: modreg check ./machine.json --as machine shows them all',
      'error[BAD_VALUE]: the policy ./policy.json has 1 error',
      '  because 1:20 BAD_TYPE /allow_downgrade: found text, expected true or false',
    ]);
    expect(await out()).toMatch(/^TIME {3}acme:lidar {3}1\.0\.0 → 1\.1\.0 /);
    published(loopback, 'acme:lidar', '1.2.0');
    expect(await out()).toMatch(/^TIME {3}acme:lidar {3}1\.0\.0 → 1\.2\.0 /);
    writeFileSync(`${folder}/policy.json`, JSON.stringify({ registry: loopback.address }));
    writeFileSync(`${folder}/machine.json`, '{"modules":[]}');
    published(loopback, 'acme:lidar', '1.3.0');
    expect(await err()).toBe(
      'warning[UNKNOWN_REFERENCE]: the report of deployed versions names "acme_lidar", which is not a module entry or a subsystem',
    );
    expect(await err()).toBe('TIME   the documents of the machine can be read again');
    const { stdout, exit } = await end('SIGINT');
    expect([stdout, exit]).toEqual([[], 130]);
  });
});

describe('machine.db while modreg watch runs', () => {
  it('is read but not written, while a poller has it open', async () => {
    const { home, state } = polledHome();
    state.report(LIDAR, '1.0.0', 1);
    const { folder, ...loopback } = await siteWithFeed('1.0.0', '1.1.0');
    published(loopback, 'platform:agent', '0.9.1');
    const before = contentsOf(home);
    const { out, err, end } = watchingHere([`${folder}/machine.json`], { PLATFORM_HOME: home });
    await err();
    expect(await out()).toMatch(/^TIME {3}acme:lidar {3}1\.0\.0 → 1\.1\.0 /);
    published(loopback, 'acme:lidar', '1.2.0');
    expect(await out()).toMatch(/^TIME {3}acme:lidar {3}1\.0\.0 → 1\.2\.0 /);
    expect(contentsOf(home)).toEqual(before);
    state.report(AGENT, '0.9.0', 1);
    const reported = contentsOf(home);
    published(loopback, 'acme:lidar', '1.3.0');
    expect([await out(), await out()]).toEqual([
      expect.stringMatching(/^TIME {3}acme:lidar {3}1\.0\.0 → 1\.3\.0 /),
      expect.stringMatching(/^TIME {3}platform-agent {3}0\.9\.0 → 0\.9\.1 /),
    ]);
    // The printed action of the lidar is not printed again.
    published(loopback, 'platform:agent', '0.9.2');
    expect(await out()).toMatch(/^TIME {3}platform-agent {3}0\.9\.0 → 0\.9\.2 /);
    expect((await end('SIGINT')).exit).toBe(130);
    expect(contentsOf(home)).toEqual(reported);
    // The poller can still write.
    state.report(LIDAR, '1.3.0', 2);
  });

  it('is not changed when no poller has it open', async () => {
    const home = homeAfter((state) => state.report(LIDAR, '1.0.0', 1));
    const { folder } = await siteWithFeed('1.0.0', '1.1.0');
    const before = contentsOf(home);
    const { out, end } = watchingHere([`${folder}/machine.json`], { PLATFORM_HOME: home });
    expect(await out()).toMatch(/^TIME {3}acme:lidar {3}1\.0\.0 → 1\.1\.0 /);
    expect((await end('SIGTERM')).exit).toBe(0);
    expect(contentsOf(home)).toEqual(before);
  });
});
