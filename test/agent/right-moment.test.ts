import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { plainServer } from '../../mocks/plain-server.ts';
import type { ModuleId } from '../../src/core/index.ts';
import { agentSite, type AgentSite } from '../support/agent-site.ts';
import { openFrom } from '../support/decided.ts';
import { component, entry } from '../support/planned.ts';
import type { MachineState } from '../../src/store/machine-state.ts';
import { byOperator } from './support/by-operator.ts';
import { whileDownloading } from './support/while-downloading.ts';

const LIDAR = { modules: [entry('acme:lidar', '1.*', 'lidar')] };
const SERVED = { ...LIDAR, agent: { 'platform-server': {} } };
const STAYS = 'exec sleep 1000';

const HOLD = {
  of: { kind: 'module', name: 'lidar' },
  by: 'ann',
  because: 'on stage',
  since: 0,
  endsAt: undefined,
  longestMs: 30 * 86_400_000,
  elapsedMs: 0,
  countedAt: undefined,
} as const;

/** The maintenance window, which opens never. */
const CLOSED = { window: openFrom() };
const OPEN = { window: undefined };

/** A site that runs 1.0.0 of a lidar, and of a server if its config has one. */
async function site(config: object, meta?: object): Promise<AgentSite> {
  const made = await agentSite(config);
  if (config === SERVED) made.publish('platform:server', '1.0.0', STAYS, meta);
  made.publish('acme:lidar', '1.0.0', STAYS);
  await made.start();
  await made.until('lidar running 1.0.0');
  await made.until('done');
  return made;
}

describe('[I10, D72, T51] what may no longer be replaced once its download has ended', () => {
  it('goes on if the window has closed, and is replaced when it opens, without another download', async () => {
    const made = await site(LIDAR);
    const happened = await whileDownloading(made, ['acme:lidar', `: another; ${STAYS}`], {
      during: async () => await made.change({}, CLOSED),
      line: 'lidar is not begun: 1.1.0',
    });
    expect(happened).toEqual(['lidar is held: window-closed ', 'lidar is not begun: 1.1.0']);
    await made.change({}, OPEN);
    await made.until('lidar stopped 1.0.0');
    await made.until('lidar running 1.1.0');
    expect(made.requests.filter((path) => path === '/acme:lidar/1.1.0')).toHaveLength(1);
  });

  it('goes on if an operator holds it, until the hold ends (D75)', async () => {
    const made = await site(LIDAR);
    const happened = await whileDownloading(made, ['acme:lidar', `: another; ${STAYS}`], {
      during: () => byOperator(made, (state) => state.setHold(HOLD)),
      line: 'lidar is not begun: 1.1.0',
    });
    expect(happened).toEqual(['lidar is held: operator-hold ', 'lidar is not begun: 1.1.0']);
    byOperator(made, (state) => state.endHold(HOLD.of));
    await made.change({});
    await made.until('lidar stopped 1.0.0');
    await made.until('lidar running 1.1.0');
  });

  it('goes on if a blackout has begun, and is replaced when that has ended [D74]', async () => {
    const made = await site(LIDAR);
    const now = Date.now();
    const blackout = { from: now - 60_000, until: now + 3_600_000, timeZone: 'UTC' };
    const happened = await whileDownloading(made, ['acme:lidar', `: another; ${STAYS}`], {
      during: async () => await made.change({}, { blackouts: [blackout] }),
      line: 'lidar is not begun: 1.1.0',
    });
    expect(happened).toEqual(['lidar is held: blackout ', 'lidar is not begun: 1.1.0']);
    await made.change({}, { blackouts: [{ ...blackout, until: now }] });
    await made.until('lidar stopped 1.0.0');
    await made.until('lidar running 1.1.0');
  });

  it('goes on if the config excludes the release', async () => {
    const made = await site(LIDAR);
    const happened = await whileDownloading(made, ['acme:lidar', `: another; ${STAYS}`], {
      during: async () => {
        made.configure({ modules: [entry('acme:lidar', '1.0.*', 'lidar')] });
        await made.change({});
        await made.change({});
      },
      line: 'lidar is not begun: 1.1.0',
    });
    expect(happened).toEqual([
      'lidar waits: already the newest patch of 1.0',
      'lidar is not begun: 1.1.0',
    ]);
  });

  it('goes on if it is the server, and so do the modules, which would stop with it', async () => {
    const made = await site(SERVED);
    const happened = await whileDownloading(made, ['platform:server', `: another; ${STAYS}`], {
      during: async () => await made.change({}, CLOSED),
      line: 'platform-server is not begun: 1.1.0',
    });
    expect(happened).toEqual([
      'platform-server is held: window-closed ',
      'platform-server is not begun: 1.1.0',
    ]);
    await made.change({}, OPEN);
    await made.until('lidar stopped 1.0.0');
    await made.until('platform-server running 1.1.0');
    await made.until('lidar running 1.0.0');
  });

  it('goes on while the server does not allow a restart, which it is asked each five seconds', async () => {
    let isAllowed = true;
    const server = await plainServer((response) => {
      response.end(JSON.stringify({ restart_allowed: isAllowed }));
    });
    const restart_status = `${server.address}/restart_status`;
    const made = await site(SERVED, { entrypoint: 'run', restart_status });
    const happened = await whileDownloading(made, ['acme:lidar', `: another; ${STAYS}`], {
      during: () => void (isAllowed = false),
      line: 'lidar is not begun: 1.1.0',
    });
    expect(happened).toEqual([
      'lidar is held: maintenance-not-allowed not-allowed',
      'lidar is not begun: 1.1.0',
    ]);
    isAllowed = true;
    await made.until('lidar stopped 1.0.0');
    await made.until('lidar running 1.1.0');
  });

  it('goes on with its data: the first run of the release, which may migrate them, waits as well', async () => {
    const made = await site(LIDAR);
    const migrated = join(made.home, 'migrated');
    // The same program is the module, and what is run first.
    const script = `[ -e '${migrated}' ] || { echo migrates; : >'${migrated}'; exit 0; }; ${STAYS}`;
    const answer = made.delay('acme:lidar', '1.1.0');
    made.publish('acme:lidar', '1.1.0', script, { entrypoint: 'run', first_run: 'run' });
    await expect.poll(() => made.requests).toContain('/acme:lidar/1.1.0');
    await made.change({}, CLOSED);
    answer();
    await made.until('lidar is held: window-closed ');
    expect(existsSync(migrated)).toBe(false);
    await made.change({}, OPEN);
    await made.until('lidar says migrates');
    await made.until('lidar stopped 1.0.0');
    await made.until('lidar running 1.1.0');
  });
});

it('[T55, D72] what an agent got and did not begin gives way to a newer release after the next start of an agent', async () => {
  const made = await agentSite(LIDAR);
  made.publish('acme:lidar', '1.0.0', STAYS);
  const end = await made.start();
  await made.until('lidar running 1.0.0');
  await made.until('done');
  const answer = made.delay('acme:lidar', '1.1.0');
  made.publish('acme:lidar', '1.1.0', `: another; ${STAYS}`);
  await expect.poll(() => made.requests).toContain('/acme:lidar/1.1.0');
  await end();
  answer();
  await made.change({}, CLOSED);
  await made.start();
  await made.until('lidar is held: window-closed ');
  made.publish('acme:lidar', '1.2.0', `: yet another; ${STAYS}`);
  await made.until('lidar is held: window-closed ');
  await made.change({}, OPEN);
  await expect.poll(() => made.story).toContain('lidar running 1.2.0');
  expect(made.story).not.toContain('lidar trying 1.1.0');
});

it('[D26] a module is not stopped for what only shares its restart', async () => {
  const both = {
    components: [
      component('scanner', 'acme:lidar:vlp16'),
      component('camera', 'acme:cam:usb'),
      component('arm', 'acme:arm:six-axis', 'scanner', 'camera'),
    ],
    modules: [...LIDAR.modules, entry('acme:arm', '1.*', 'arm'), entry('acme:cam', '1.*', 'cam')],
  };
  const made = await agentSite(both);
  for (const id of ['acme:lidar', 'acme:cam', 'acme:arm']) made.publish(id, '1.0.0', STAYS);
  await made.start();
  await made.until('arm running 1.0.0');
  const answer = made.delay('acme:lidar', '1.1.0');
  made.publish('acme:lidar', '1.1.0', `: another; ${STAYS}`);
  made.publish('acme:cam', '1.1.0', `: yet another; ${STAYS}`);
  await made.until('cam running 1.1.0');
  expect(made.story).not.toContain('lidar stopped 1.0.0');
  answer();
  await made.until('lidar stopped 1.0.0');
  await made.until('lidar running 1.1.0');
  expect(made.story.filter((line) => line.startsWith('cam'))).toEqual([]);
  await made.until('arm running 1.0.0');
});

it('[D72] a requested restart that its module allowed until it was delivered, and does not allow when it is to begin, waits', async () => {
  const sites: AgentSite[] = [];
  const seen = { isDelivered: false, isOver: false };
  const look = (state: MachineState): void => {
    seen.isDelivered ||= state.memory().open.some((one) => one.state === 'delivered');
  };
  const status = await plainServer((response) => {
    for (const one of sites) byOperator(one, look);
    response.end(JSON.stringify({ restart_allowed: !seen.isDelivered || seen.isOver }));
  });
  const made = await agentSite(LIDAR);
  const restart_status = `${status.address}/restart_status`;
  made.publish('acme:lidar', '1.0.0', STAYS, { entrypoint: 'run', restart_status });
  await made.start();
  await made.until('lidar running 1.0.0');
  await made.until('done');
  sites.push(made);
  const target = { kind: 'module', name: 'lidar', moduleId: 'acme:lidar' as ModuleId } as const;
  byOperator(made, (state) =>
    state.requestRestart(target, { requestedAt: Date.now(), isImmediate: false }),
  );
  await made.change({});
  await made.until(/^lidar (?:is held: veto|stopped)/);
  expect([seen.isDelivered, made.story.includes('lidar stopped 1.0.0')]).toEqual([true, false]);
  seen.isOver = true;
  await made.until('lidar stopped 1.0.0');
  await made.until('lidar running 1.0.0');
});
