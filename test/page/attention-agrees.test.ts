import { expect, it, onTestFinished } from 'vitest';
import { fleetMetrics } from '../../src/cli/metrics/fleet-metrics.ts';
import { secret } from '../../src/core/index.ts';
import { serveRegistry } from '../../src/server/index.ts';
import { FleetFile, fleetPath } from '../../src/server/fleet/fleet-file.ts';
import { noticesOf } from '../../src/server/notices/notices.ts';
import { printed } from '../support/command.ts';
import { receiver, SECRET, toldOf } from '../support/told-registry.ts';
import { tokenFor } from '../support/token.ts';
import { textOf } from './support/machine-page.ts';
import { testSite, type TestSite } from './support/site-page.ts';

const MINUTE = 60_000;
const REFUSED = { revision: 3, code: 'needs-signature', detail: '/config/agent may change' };

/** A machine says of its documents that it refuses them, or has taken them. */
function say({ catalogue, now }: TestSite, machine: string, refused?: typeof REFUSED): void {
  const words = [{ about: 'documents', machine, applied: 1, refused, at: now }] as const;
  catalogue.apply({ kind: 'heard', words: [...words] });
}

async function report(site: TestSite, machine: string, ahead: number): Promise<void> {
  site.ahead.set(machine, ahead);
  await site.report(machine, [{}]);
}

/** What `fleet status`, `/metrics`, notices, the page and the wall of a site count. */
async function countedOf(site: TestSite): Promise<Record<string, readonly unknown[]>> {
  const { catalogue, path } = site;
  const served = await serveRegistry(catalogue, { host: '127.0.0.1', port: 0 });
  onTestFinished(async () => await served.close());
  const environment = { MODREG_TOKEN: tokenFor(catalogue, ['fleet:read'], 'reader') };
  const args = ['fleet', 'status', '--json', '--registry', served.address];
  const status = JSON.parse((await printed(args, { environment })).stdout.join(''));
  const words = (await printed(args.toSpliced(2, 1), { environment })).stdout[0] ?? '';
  const { text } = await fleetMetrics(async () => await served.numbers())();
  const page = await textOf(site.app, '/');
  const wall = await textOf(site.app, '/wall');
  return {
    json: [status.refusing, status.wrong_clocks],
    words: [numberIn(words, 'refusing documents'), numberIn(words, 'with a wrong clock')],
    metrics: ['refusing', 'with_wrong_clock'].map((name) =>
      Number(new RegExp(`^modreg_registry_machines_${name} (\\d+)$`, 'm').exec(text)?.[1]),
    ),
    notices: await toldCounts(path, site),
    page: [numberOf(page, 'refusing documents'), numberOf(page, 'with a wrong clock')],
    wall: [numberOf(wall, 'refusing'), numberOf(wall, 'wrong clock')],
  };
}

/** The number before `what`; 0 without it. */
function numberIn(line: string, what: string): number {
  return Number(new RegExp(`(\\d+) ${what}(?:;|$)`).exec(line)?.[1] ?? 0);
}

function numberOf(lines: readonly string[], what: string): number {
  return Number(
    lines.map((line) => new RegExp(`^(\\d+) ${what}$`).exec(line)?.[1]).find(Boolean) ?? 0,
  );
}

/** How many machines the notices of a look are about. The look before was at a fleet without machines. */
async function toldCounts(path: string, { catalogue, now }: TestSite): Promise<number[]> {
  const hook = await receiver();
  const fleet = new FleetFile(fleetPath(path), () => now);
  onTestFinished(() => fleet.close());
  const { history, sequence } = catalogue.changes(0);
  fleet.write((sql) => sql.run('INSERT INTO noticed_place VALUES (?, ?)', history, sequence));
  const clock = { now: () => now, monotonic: () => 0 };
  const to = { addresses: [hook.address], secret: secret(SECRET), onEvent: () => undefined };
  const watched = { catalogue, fleet, clock, certificateExpiry: () => undefined };
  const notices = noticesOf(watched, to, () => true);
  await notices.look();
  for (let sent = -1; sent < hook.received.length;) {
    sent = hook.received.length;
    await notices.send();
  }
  const found = new Map(toldOf(hook).map((one) => [Object(one)[0], Object(one)[1].count]));
  return ['machine-refusing', 'machine-wrong-clock'].map((event) => found.get(event) ?? 0);
}

it.each<[string, (site: TestSite) => unknown, readonly [refusing: number, wrong: number]]>([
  ['a machine with nothing to say', async (site) => await report(site, 'r1', 0), [0, 0]],
  [
    'one that refuses its documents',
    async (site) => {
      await report(site, 'r1', 0);
      say(site, 'r1', REFUSED);
    },
    [1, 0],
  ],
  [
    'one that took the next ones',
    async (site) => {
      await report(site, 'r1', 0);
      say(site, 'r1', REFUSED);
      say(site, 'r1');
    },
    [0, 0],
  ],
  [
    'two that refuse and have never reported',
    (site) => {
      say(site, 'r1', REFUSED);
      say(site, 'r2', { ...REFUSED, code: 'unreachable' });
    },
    [2, 0],
  ],
  [
    'one that refuses and has never reported, whose tokens are revoked',
    ({ catalogue, now, ...site }) => {
      for (const name of ['first', 'second']) tokenFor(catalogue, ['machine:r1'], name);
      for (const name of ['first', 'second']) catalogue.revokeToken(name, now);
      say({ catalogue, now, ...site }, 'r1', REFUSED);
    },
    [0, 0],
  ],
  [
    'one of whose tokens another is still valid',
    ({ catalogue, now, ...site }) => {
      for (const name of ['first', 'second']) tokenFor(catalogue, ['machine:r1'], name);
      catalogue.revokeToken('first', now);
      say({ catalogue, now, ...site }, 'r1', REFUSED);
    },
    [1, 0],
  ],
  [
    'a retired one that refuses and has a wrong clock',
    async (site) => {
      await report(site, 'r1', 6 * MINUTE);
      say(site, 'r1', REFUSED);
      await site.retire('r1', 'ada');
    },
    [0, 0],
  ],
  [
    'clocks at the bound and beyond',
    async (site) => {
      const { length } = await Promise.all(
        [5 * MINUTE, -5 * MINUTE, 5 * MINUTE + 1000, -5 * MINUTE - 1000].map(
          async (ahead, place) => await report(site, `r${place}`, ahead),
        ),
      );
      expect(length).toBe(4);
    },
    [0, 2],
  ],
  [
    'one that refuses and has a wrong clock',
    async (site) => {
      await report(site, 'r1', 6 * MINUTE);
      say(site, 'r1', REFUSED);
    },
    [1, 1],
  ],
])(
  '[D480] [D481] status, metrics, notices, the page and the wall count the same of %s',
  async (_what, happens, expected) => {
    const site = testSite();
    await happens(site);
    const counted = await countedOf(site);
    expect(counted).toEqual(Object.fromEntries(Object.keys(counted).map((of) => [of, expected])));
  },
);
