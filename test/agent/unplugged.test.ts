import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { marked, runIdOf } from '../../src/agent/process/process-table.ts';
import { agentSite, type AgentSite } from '../support/agent-site.ts';
import { temporaryFolder } from '../support/folder.ts';
import { entry } from '../support/planned.ts';
import { CLOCK, RUN, withCamera } from './support/camera.ts';

/** A machine on which 1.0.0 runs, whose next start fails once if the file `busy` exists. */
async function withBusyDevice(): Promise<{ readonly site: AgentSite; readonly busy: string }> {
  const busy = `${temporaryFolder()}/busy`;
  const modules = [entry('acme:lidar', '1.*', 'lidar')];
  const site = await agentSite({ modules }, RUN, { clock: CLOCK });
  const program = `if [ -e ${busy} ]; then rm ${busy}; exit 5; fi; exec sleep 1000`;
  site.publish('acme:lidar', '1.0.0', program);
  await site.start();
  await site.until('done');
  return { site, busy };
}

describe('[D80] a device is unplugged', () => {
  it('while a release is tried: both are undecided, and once it is back the machine upgrades', async () => {
    const { site, plug, unplug, needs } = await withCamera('lidar');
    site.publish('acme:lidar', '1.0.0', needs);
    await site.start();
    await site.until('done');
    // 1.0.0 does not need it while it runs.
    const broken = needs.replace('exec', ': 1.1.0; exec');
    unplug();
    site.publish('acme:lidar', '1.1.0', broken);
    await site.until('lidar trying 1.1.0');
    await site.until(
      'failed (undecided, 1.0.0): it ended with exit code 5; 1.0.0 does not start either: it ended with exit code 5',
    );
    await site.until('lidar backing-off 1.0.0');
    plug();
    await site.until('lidar running 1.0.0');
    await site.until('lidar running 1.1.0');
    await site.until('done');
    expect(marked(`${runIdOf(site.home)}/`)).toHaveLength(1);
  });

  it('[A4, A5] in use: each version ends in turn, the newest is started for ever, and runs once it is back', async () => {
    const { site, plug, unplug, needs } = await withCamera('lidar');
    site.publish('acme:lidar', '1.0.0', needs);
    await site.start();
    await site.until('done');
    site.publish('acme:lidar', '1.1.0', `: 1.1.0; ${needs}`);
    await site.until('done');
    unplug();
    await site.until('reported 1.1.0: it ended with exit code 5');
    await site.until('lidar trying 1.0.0');
    await site.until(
      'failed (undecided, 1.1.0): it ended with exit code 5; 1.1.0 failed before it',
    );
    for (let crash = 0; crash < 8; crash++) await site.until('lidar backing-off 1.1.0');
    plug();
    await site.until('lidar running 1.1.0');
    expect(site.story.filter((line) => line.startsWith('reported'))).toEqual([]);
  });

  it('and a release that fails alone afterwards is in quarantine', async () => {
    const { site, plug, unplug, needs } = await withCamera('lidar');
    site.publish('acme:lidar', '1.0.0', needs);
    await site.start();
    await site.until('done');
    unplug();
    site.publish('acme:lidar', '1.1.0', 'exit 3');
    await site.until(/^failed \(undecided, 1\.0\.0\): it ended with exit code 3/);
    plug();
    await site.until('lidar trying 1.1.0');
    await site.until('lidar running 1.0.0');
    await site.until('failed (release, 1.0.0): it ended with exit code 3');
    await site.until('quarantined 1.1.0: it ended with exit code 3');
    expect(marked(`${runIdOf(site.home)}/`)).toHaveLength(1);
  });
});

it('[D80] a broken release that leaves its device busy is tried once more, and then quarantined', async () => {
  const { site, busy } = await withBusyDevice();
  site.publish('acme:lidar', '1.1.0', `touch ${busy}; exit 3`);
  await site.until(/^failed \(undecided, 1\.0\.0\): it ended with exit code 3/);
  await site.until('lidar running 1.0.0');
  await site.until(/^failed \(undecided, 1\.0\.0\): it ended with exit code 3/);
  await site.until(/^quarantined 1\.1\.0: it ended with exit code 3/);
  await site.until('lidar running 1.0.0');
  expect(marked(`${runIdOf(site.home)}/`)).toHaveLength(1);
});

it('[A4] a restart on request whose start fails once: the version is started again, and is not quarantined', async () => {
  const { site, busy } = await withBusyDevice();
  writeFileSync(busy, '');
  site.restart('acme:lidar', 'lidar');
  await site.until('failed (release, 1.0.0): it ended with exit code 5');
  await site.until('lidar running 1.0.0');
  expect(site.story.filter((line) => /quarantined|trying/.test(line))).toEqual([]);
  expect(marked(`${runIdOf(site.home)}/`)).toHaveLength(1);
});

it('[D81] a release that fails in one entry is rolled back there, and goes on in the other', async () => {
  const mark = `${temporaryFolder()}/broken`;
  const front = entry('acme:lidar', '1.*', 'front');
  const rear = { ...entry('acme:lidar', '1.*', 'rear'), env: { BROKEN: mark } };
  const site = await agentSite({ modules: [front, rear] }, RUN, { clock: CLOCK });
  site.publish('acme:lidar', '1.0.0', 'exec sleep 1000');
  await site.start();
  await site.until('done');
  await site.until('done');
  site.publish('acme:lidar', '1.1.0', '[ ! -e "${BROKEN:-/absent}" ] || exit 5; exec sleep 1000');
  await site.until('done');
  await site.until('done');
  writeFileSync(mark, '');
  for (const { pid } of marked(`${runIdOf(site.home)}/rear/`)) process.kill(pid, 'SIGKILL');
  await site.until('quarantined 1.1.0: it ended with exit code 5');
  await site.until('rear running 1.0.0');
  await site.until('done');
  expect(marked(`${runIdOf(site.home)}/`)).toHaveLength(2);
  expect(site.story.filter((line) => line.startsWith('front'))).toEqual([]);
});
