import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Rebooting } from '../../src/agent/rebooting.ts';
import { bootId } from '../../src/agent/system/boot-id.ts';
import type { Clock } from '../../src/registries/index.ts';
import { openForPoller, openMachineFile } from '../../src/store/index.ts';
import { machineStateIn } from '../../src/store/machine-state.ts';
import { agentSite, INTERVAL_MS, type AgentSite } from '../support/agent-site.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { skippingClock } from '../support/clock.ts';
import { MINUTE } from '../support/day.ts';
import { entry } from '../support/planned.ts';

const LIDAR = { modules: [entry('acme:lidar', '1.*', 'lidar')] };
const STAYS = 'exec sleep 1000';
const WENT_DOWN =
  'the agent or the machine went down within ten minutes of each of its last 3 starts';

const HOUR = 3_600_000;

type Machine = AgentSite & { readonly clock: Clock };

/** As the file is after an agent started `times`, and was killed or lost its power each time. */
function noteUncleanStarts({ home, clock }: Machine, times: number, boot?: string): void {
  const file = openForPoller(join(home, 'machine.db'));
  for (let start = 0; start < times; start++)
    file.state.start(Math.ceil(clock.now()) + start, boot);
  file.close();
}

/** Each version in quarantine, and for how long from its failure. */
function quarantineIn({ home }: Machine): string[] {
  const file = openMachineFile(join(home, 'machine.db'));
  const { quarantine } = machineStateIn(file).memory();
  file.close();
  return quarantine.map(({ version, since, until = 0 }) => `${version} for ${until - since} ms`);
}

async function machineWith(): Promise<Machine> {
  const clock = skippingClock(INTERVAL_MS);
  return { ...(await agentSite(LIDAR, {}, { clock })), clock };
}

/** A machine with 1.0.0 and then 1.1.0, whose agent has ended. */
async function withTwo(): Promise<Machine> {
  const site = await machineWith();
  site.publish('acme:lidar', '1.0.0', STAYS);
  const end = await site.start();
  await site.until('done');
  site.publish('acme:lidar', '1.1.0', STAYS);
  await site.until('lidar running 1.1.0');
  await site.until('done');
  await end();
  site.story.length = 0;
  return site;
}

describe('[D85] a release after whose starts the machine goes down', () => {
  it('three times is not started again: it is in quarantine, and the version before it runs', async () => {
    const site = await withTwo();
    noteUncleanStarts(site, 2);
    await site.start();
    await site.until(`reported 1.1.0: ${WENT_DOWN}`);
    await site.until('lidar trying 1.0.0');
    await site.until('done');
    expect(site.story.filter((line) => line.includes('1.1.0'))).toEqual([]);
  });

  it('[D13] is in quarantine for as long as the policy says', async () => {
    const site = await withTwo();
    await site.change({}, { quarantineMs: HOUR });
    noteUncleanStarts(site, 2);
    await site.start();
    await site.until(`reported 1.1.0: ${WENT_DOWN}`);
    await site.until('lidar trying 1.0.0');
    expect(quarantineIn(site)).toEqual([`1.1.0 for ${HOUR} ms`]);
    await site.until('done');
  });

  it('is replaced by a fix, also if an agent that starts so often does nothing else', async () => {
    const site = await withTwo();
    noteUncleanStarts(site, 7);
    site.publish('acme:lidar', '1.2.0', STAYS);
    const before = site.clock.now();
    await site.start();
    await site.until(/^reported 1\.1\.0: .* its last 8 starts$/);
    await site.until('lidar trying 1.2.0');
    // The crash loop would end after ten minutes.
    expect(site.clock.now() - before).toBeLessThan(5 * MINUTE);
    expect(site.story).not.toContain('lidar starting 1.1.0');
    await site.until('done');
  });

  it('is not blamed if the agent alone was killed, and a fix is installed all the same', async () => {
    const site = await withTwo();
    noteUncleanStarts(site, 7, bootId());
    site.publish('acme:lidar', '1.2.0', STAYS);
    const before = site.clock.now();
    await site.start();
    await site.until('lidar starting 1.1.0');
    await site.until('lidar trying 1.2.0');
    expect(site.clock.now() - before).toBeLessThan(5 * MINUTE);
    expect(quarantineIn(site)).toEqual([]);
    await site.until('done');
  });

  it('twice is started, and so is one that has no version before it, after a round', async () => {
    const site = await machineWith();
    site.publish('acme:lidar', '1.0.0', STAYS);
    const end = await site.start();
    await site.until('done');
    await end();
    noteUncleanStarts(site, 1);
    const again = await site.start();
    await site.until('lidar starting 1.0.0');
    await again();
    noteUncleanStarts(site, 1);
    site.story.length = 0;
    await site.start();
    await site.until(`reported 1.0.0: ${WENT_DOWN}`);
    await site.until('lidar running 1.0.0');
    expect(site.story).toEqual([]);
  });
});

it('[D85] a release after whose starts the machine goes down is started after a minute while its file cannot be read', async () => {
  const site = await withTwo();
  noteUncleanStarts(site, 3);
  const path = join(site.home, 'machine.db');
  const file = openForPoller(path);
  onTestFinished(() => file.close());
  const clock = virtualClock(site.clock.now());
  const told: string[] = [];
  const rebooting = new Rebooting(file, clock, undefined);
  const holdBeforeStart = (name: string): (() => void) => {
    told.push(`${name} is held`);
    return () => void told.push(`${name} starts`);
  };
  rebooting.begin({ holdBeforeStart }, new AbortController().signal);
  const other = new DatabaseSync(path);
  other.exec('ALTER TABLE starts RENAME TO lost');
  rebooting.follow();
  await clock.pass(59_999);
  expect(told).toEqual(['lidar is held']);
  await clock.pass(1);
  expect(told).toEqual(['lidar is held', 'lidar starts']);
  other.exec('ALTER TABLE lost RENAME TO starts');
  other.close();
});
