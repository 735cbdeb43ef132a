import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { agentSite, INTERVAL_MS, type AgentSite } from '../support/agent-site.ts';
import { skippingClock } from '../support/clock.ts';
import { openFrom } from '../support/decided.ts';
import { entry } from '../support/planned.ts';
import { temporaryFolder } from '../support/folder.ts';

const LIDAR = { modules: [entry('acme:lidar', '1.*', 'lidar')] };
const STAYS = 'exec sleep 1000';
const NEXT = `: another; ${STAYS}`;
/** A window that never opens. */
const CLOSED = { window: openFrom() };
const OPEN = { window: undefined };

/** A site that runs 1.0.0 of a lidar, which nothing may replace. */
async function heldSite(
  terms: object = {},
  options?: Parameters<typeof agentSite>[2],
): Promise<AgentSite> {
  const made = await agentSite(LIDAR, {}, options);
  made.publish('acme:lidar', '1.0.0', STAYS);
  await made.change({}, { ...CLOSED, ...terms });
  await made.start();
  await made.until('lidar running 1.0.0');
  await made.until('done');
  return made;
}

/** The versions that are installed. */
function packagesOf({ home }: AgentSite): string[] {
  return readdirSync(join(home, 'packages/acme/lidar'), { withFileTypes: true })
    .filter((one) => one.isDirectory())
    .map(({ name }) => name.replace(/-.*/, ''))
    .toSorted();
}

describe('[D78] a release that a window holds', () => {
  it('is downloaded without its first run, and replaces the module when the window opens, without another request', async () => {
    const made = await heldSite();
    const migrated = join(made.home, 'migrated');
    // The same program is the module, and what is run first.
    const script = `[ -e '${migrated}' ] || { echo migrates; : >'${migrated}'; exit 0; }; ${STAYS}`;
    made.publish('acme:lidar', '1.1.0', script, { entrypoint: 'run', first_run: 'run' });
    await made.until('lidar has 1.1.0');
    expect(existsSync(migrated)).toBe(false);
    await made.change({}, OPEN);
    await made.until('lidar says migrates');
    await made.until('lidar stopped 1.0.0');
    await made.until('lidar running 1.1.0');
    expect(made.requests.filter((path) => path === '/acme:lidar/1.1.0')).toHaveLength(1);
  });

  it('is removed before a newer one is downloaded, and what is in use stays', async () => {
    const made = await heldSite();
    made.publish('acme:lidar', '1.1.0', NEXT);
    await made.until('lidar has 1.1.0');
    const answer = made.delay('acme:lidar', '1.2.0');
    made.publish('acme:lidar', '1.2.0', `: a third; ${STAYS}`);
    await expect.poll(() => made.requests).toContain('/acme:lidar/1.2.0');
    expect(packagesOf(made)).toEqual(['1.0.0']);
    answer();
    await made.until('lidar has 1.2.0');
    expect(packagesOf(made)).toEqual(['1.0.0', '1.2.0']);
    expect(made.story).not.toContain('lidar stopped 1.0.0');
  });

  it('is given up while it is downloaded once a newer one is there', async () => {
    const made = await heldSite();
    const answer = made.delay('acme:lidar', '1.1.0');
    made.publish('acme:lidar', '1.1.0', NEXT);
    await expect.poll(() => made.requests).toContain('/acme:lidar/1.1.0');
    made.publish('acme:lidar', '1.2.0', `: a third; ${STAYS}`);
    await made.until('lidar has 1.2.0');
    // One is downloaded at a time, and one whose server sends nothing would be asked for again after a while.
    expect(made.requests.filter((path) => path === '/acme:lidar/1.1.0')).toHaveLength(1);
    answer();
  });

  it('is used by an action that is delivered while it is downloaded, and downloaded once', async () => {
    const made = await heldSite();
    const answer = made.delay('acme:lidar', '1.1.0');
    made.publish('acme:lidar', '1.1.0', NEXT);
    await expect.poll(() => made.requests).toContain('/acme:lidar/1.1.0');
    await made.change({}, OPEN);
    await made.change({});
    await made.change({});
    answer();
    await made.until('lidar running 1.1.0');
    expect(made.requests.filter((path) => path === '/acme:lidar/1.1.0')).toHaveLength(1);
  });

  it('is not downloaded if the policy says so, until its moment', async () => {
    const made = await heldSite({ prefetch: false });
    made.publish('acme:lidar', '1.1.0', NEXT);
    await made.until('lidar is held: window-closed ');
    await made.change({});
    await made.change({});
    expect(made.requests).toEqual(['/acme:lidar/1.0.0']);
    await made.change({}, OPEN);
    await made.until('lidar running 1.1.0');
  });

  it('is not downloaded while NetworkManager says that the connection is metered', async () => {
    const programs = temporaryFolder();
    const asked = join(programs, 'asked');
    const metered = 'echo GENERAL.METERED:no; echo GENERAL.METERED:yes';
    writeFileSync(join(programs, 'nmcli'), `#!/bin/sh\necho "$*" >>${asked}\n${metered}\n`, {
      mode: 0o755,
    });
    const made = await heldSite({}, { system: { root: temporaryFolder(), programs } });
    made.publish('acme:lidar', '1.1.0', NEXT);
    const question = '--terse -f GENERAL.METERED device show';
    await expect.poll(() => existsSync(asked) && readFileSync(asked, 'utf8')).toContain(question);
    await made.change({});
    await made.change({});
    expect(made.requests).toEqual(['/acme:lidar/1.0.0']);
    await made.change({}, OPEN);
    await made.until('lidar running 1.1.0');
  });
});

describe('[D78] a lower release', () => {
  it('is not downloaded while the policy refuses a downgrade, which is not a matter of time', async () => {
    const made = await agentSite(LIDAR);
    made.publish('acme:lidar', '1.0.0', STAYS);
    made.publish('acme:lidar', '1.1.0', NEXT);
    await made.change({}, { ...CLOSED, allowDowngrade: false });
    await made.start();
    await made.until('lidar running 1.1.0');
    await made.until('done');
    made.configure({ modules: [entry('acme:lidar', '1.0.0', 'lidar')] });
    await made.until(/^lidar is held: /);
    await made.change({});
    await made.change({});
    expect(made.requests).toEqual(['/acme:lidar/1.1.0']);
    await made.change({}, { allowDowngrade: true });
    await made.until('lidar has 1.0.0');
  });
});

describe('[T340] a release that is held and cannot be downloaded', () => {
  it('is reported once and tried again after longer and longer, blames nothing, and does not delay the action', async () => {
    const clock = skippingClock(INTERVAL_MS);
    const made = await heldSite({}, { clock });
    const began = clock.monotonic();
    made.publish('acme:lidar', '1.1.0', NEXT);
    made.remove('acme:lidar', '1.1.0');
    const failed = /^lidar has no 1\.1\.0 for 60000 ms: .* does not have it \(404\)$/;
    await made.until(failed);
    const requests = (): number => made.requests.filter((path) => path.endsWith('1.1.0')).length;
    const since = made.story.length;
    for (const count of [2, 3]) {
      clock.advance(60_000);
      await expect.poll(requests, { timeout: 5000 }).toBeGreaterThanOrEqual(count);
    }
    // After one minute, and two more: rounds go on meanwhile, so it may be later.
    expect(clock.monotonic() - began).toBeGreaterThanOrEqual(180_000);
    expect(made.story.slice(since)).toEqual([]);
    made.file('/acme:lidar/1.1.0', NEXT);
    await made.change({}, OPEN);
    await expect.poll(() => made.story).toContain('lidar running 1.1.0');
    expect(made.story.filter((line) => /quarantined|failed/.test(line))).toEqual([]);
  });
});

it('[T340] a wait for a network that is not metered does not count as a failure', async () => {
  const programs = temporaryFolder();
  const [asked, isFree] = [join(programs, 'asked'), join(programs, 'is-free')];
  const script = `#!/bin/sh\necho >>${asked}\n[ -e ${isFree} ] || echo GENERAL.METERED:yes\n`;
  writeFileSync(join(programs, 'nmcli'), script, { mode: 0o755 });
  const questions = (): number => (existsSync(asked) ? readFileSync(asked).length : 0);
  const clock = skippingClock(INTERVAL_MS);
  const system = { root: temporaryFolder(), programs };
  const made = await heldSite({}, { clock, system });
  made.publish('acme:lidar', '1.1.0', NEXT);
  made.remove('acme:lidar', '1.1.0');
  for (const count of [1, 2, 3, 4]) {
    await expect.poll(questions).toBeGreaterThanOrEqual(count);
    if (count === 4) writeFileSync(isFree, '');
    clock.advance(60_000);
  }
  const failed = (): string => made.story.find((line) => line.startsWith('lidar has no')) ?? '';
  await expect.poll(failed).toContain(' does not have it (404)');
  expect(failed()).toMatch(/^lidar has no 1\.1\.0 for 60000 ms: /);
});
