import { rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { marked, runIdOf } from '../../src/agent/process/process-table.ts';
import type { Clock } from '../../src/registries/index.ts';
import { agentSite, INTERVAL_MS, type AgentSite } from '../support/agent-site.ts';
import { skippingClock } from '../support/clock.ts';
import { entry } from '../support/planned.ts';

const LIDAR = { modules: [entry('acme:lidar', '1.*', 'lidar')] };
const BASE = entry('acme:base', '1.*', 'base');
/** The base depends on the lidar. */
const ON_LIDAR = {
  components: [
    { name: 'l0', model: 'acme:lidar:vlp', type: 'camera', namespace: 'rdk' },
    { name: 'b0', model: 'acme:base:four', type: 'base', namespace: 'rdk', depends_on: ['l0'] },
  ],
  modules: [...LIDAR.modules, BASE],
};
const STAYS = 'exec sleep 1000';
const DAY = 86_400_000;
/** Of all waits, only a back-off takes a second: it never ends. */
const hurried = skippingClock(INTERVAL_MS);
const NO_BACK_OFF: Clock = {
  ...hurried,
  sleep: async (ms, signal) => await hurried.sleep(ms === 1000 ? DAY : ms, signal),
};

function processes({ home }: AgentSite): number {
  return marked(`${runIdOf(home)}/`).length;
}

function killAll({ home }: AgentSite): void {
  for (const { pid } of marked(`${runIdOf(home)}/`)) process.kill(pid, 'SIGKILL');
}

describe('[A5] the version that worked', () => {
  it('[D80] fails too: the release is undecided, and it is started again and again', async () => {
    const site = await agentSite(LIDAR);
    const broken = '"$PLATFORM_MODULE_DATA/broken"';
    site.publish('acme:lidar', '1.0.0', `[ ! -e ${broken} ] || exit 5; ${STAYS}`);
    await site.start();
    await site.until('done');
    // A version counts as ready if it has stayed up for so long: it must have ended before, also on a busy machine.
    await site.change({ readyMs: 2000 });
    site.publish('acme:lidar', '1.1.0', `touch ${broken}; exit 3`);
    await site.until('lidar rolling-back 1.0.0');
    await site.until(
      'failed (undecided, 1.0.0): it ended with exit code 3; 1.0.0 does not start either: it ended with exit code 5',
    );
    await site.until('lidar starting 1.0.0');
    await site.until('lidar failed: it ended with exit code 5');
    await site.until('lidar starting 1.0.0');
    expect(site.story.filter((line) => line.startsWith('reported'))).toEqual([]);
  });

  it('has no package any more: it is installed again', async () => {
    const site = await agentSite(LIDAR);
    site.publish('acme:lidar', '1.0.0', STAYS);
    const end = await site.start();
    await site.until('done');
    await end();
    site.story.length = 0;
    rmSync(`${site.home}/packages`, { recursive: true });
    await site.start();
    await site.until(/^lidar failed: the package ".*" is not installed$/);
    await site.until('lidar trying 1.0.0');
    await site.until('done');
    expect(processes(site)).toBe(1);
  });
});

it.each(['packages/acme/lidar', 'packages'])(
  '[A5] whose folder %s is gone is installed again, and other modules go on',
  async (folder) => {
    const site = await agentSite({ modules: [...LIDAR.modules, entry('acme:arm', '1.*', 'arm')] });
    site.publish('acme:lidar', '1.0.0', STAYS);
    site.publish('acme:arm', '1.0.0', `: another file; ${STAYS}`);
    await site.start();
    await site.until('done');
    await site.until('done');
    site.story.length = 0;
    rmSync(`${site.home}/${folder}`, { recursive: true });
    for (const { pid, mark } of marked(`${runIdOf(site.home)}/`)) {
      if (mark.startsWith('lidar/')) process.kill(pid, 'SIGKILL');
    }
    await site.until(/^lidar failed: the package ".*" is not installed$/);
    await site.until('lidar running 1.0.0');
    expect(processes(site)).toBe(2);
  },
);

describe('an edit of how a module is run', () => {
  it('is said of a running one, and applies from its next start', async () => {
    const site = await agentSite(LIDAR);
    site.publish('acme:lidar', '1.0.0', `echo "runs $1"; ${STAYS}`);
    await site.start();
    await site.until('done');
    await site.change({ command: ['run', 'fast'] });
    await site.until('lidar has another setup');
    site.restart('acme:lidar', 'lidar');
    await site.until('lidar stopped 1.0.0');
    await site.until('lidar says runs fast');
    expect(processes(site)).toBe(1);
  });

  it('may be one of its env, or of the variables that the policy allows', async () => {
    const site = await agentSite(LIDAR);
    site.publish('acme:lidar', '1.0.0', STAYS);
    await site.start();
    await site.until('done');
    site.configure({ modules: [{ ...LIDAR.modules[0], env: { RATE: '10' } }] });
    await site.until('lidar has another setup');
    await site.change({}, { envAllow: ['PLATFORM_API_KEY'] });
    await site.until('lidar has another setup');
    expect(processes(site)).toBe(1);
  });

  it('ends the wait before the next start', async () => {
    const site = await agentSite(LIDAR, { probeMs: 3000 }, { clock: NO_BACK_OFF });
    site.publish('acme:lidar', '1.0.0', STAYS);
    await site.start();
    await site.until('done');
    await site.change({ command: ['absent'] });
    killAll(site);
    await site.until(/^lidar failed: the policy's command names the program "absent"/);
    await site.until('lidar backing-off 1.0.0');
    await site.change({ command: undefined });
    await site.until('lidar running 1.0.0');
    expect(processes(site)).toBe(1);
  });
});

describe('a restart that this machine cannot carry out', () => {
  it('ends no process, and waits', async () => {
    const site = await agentSite(LIDAR);
    site.publish('acme:lidar', '1.0.0', STAYS);
    await site.start();
    await site.until('done');
    await site.change({ command: ['absent'] });
    site.restart('acme:lidar', 'lidar');
    await site.until(
      /^failed \(machine, 1\.0\.0\): the policy's command names the program "absent"/,
    );
    expect(processes(site)).toBe(1);
    await site.change({ command: undefined });
    await site.until('lidar stopped 1.0.0');
    await site.until('done');
  });
});

it.each([DAY, -DAY])(
  '[A15] the clock jumps by %i ms in a probation and in a back-off',
  async (jump) => {
    let ahead = 0;
    const steady = skippingClock(INTERVAL_MS);
    const clock = { ...steady, now: () => steady.now() + ahead };
    const site = await agentSite(LIDAR, { probationMs: 200 }, { clock });
    site.publish('acme:lidar', '1.0.0', STAYS);
    await site.start();
    await site.until('lidar probation 1.0.0');
    ahead += jump;
    await site.until('lidar running 1.0.0');
    await site.until('done');
    killAll(site);
    await site.until('lidar running 1.0.0');
    killAll(site);
    await site.until('lidar backing-off 1.0.0');
    ahead += jump;
    await site.until('lidar running 1.0.0');
    expect(processes(site)).toBe(1);
  },
);

it('[A17] what depends on a module waits until that is ready', async () => {
  const site = await agentSite(ON_LIDAR);
  site.publish('acme:lidar', '1.0.0', STAYS);
  site.publish('acme:base', '1.0.0', STAYS);
  const end = await site.start();
  await site.until('lidar running 1.0.0');
  await site.until('base trying 1.0.0');
  await site.until('base running 1.0.0');
  await site.until('done');
  await end();
  site.story.length = 0;
  await site.start();
  await site.until('base waits for lidar');
  await site.until('lidar running 1.0.0');
  await site.until('base starting 1.0.0');
  await site.until('base running 1.0.0');
  expect(processes(site)).toBe(2);
});

it('what depends on a module has ended before the module is replaced', async () => {
  const site = await agentSite(ON_LIDAR);
  site.publish('acme:lidar', '1.0.0', STAYS);
  site.publish('acme:base', '1.0.0', "trap 'sleep 0.5; exit' TERM; sleep 1000 & wait");
  await site.start();
  await site.until('base running 1.0.0');
  await site.until('done');
  site.story.length = 0;
  site.publish('acme:lidar', '1.1.0', STAYS);
  await site.until('base stopped 1.0.0');
  await site.until('lidar stopping');
  await site.until('lidar running 1.1.0');
  await site.until('base running 1.0.0');
  expect(site.story.filter((line) => line.startsWith('failed'))).toEqual([]);
});

it('[A17] what waits for a module is started once that has left the config', async () => {
  const site = await agentSite({ modules: [BASE] });
  site.publish('acme:base', '1.0.0', STAYS);
  const end = await site.start();
  await site.until('done');
  await end();
  site.configure(ON_LIDAR);
  await site.start();
  await site.until('base waits for lidar');
  expect(processes(site)).toBe(0);
  site.configure({ modules: [BASE] });
  await site.until('base running 1.0.0');
});

it('[T52] whose entry left the config during its trial ends with the agent, also while the file takes nothing', async () => {
  const site = await agentSite(LIDAR, { probationMs: DAY });
  site.publish('acme:lidar', '1.0.0', STAYS);
  const end = await site.start();
  await site.until('lidar probation 1.0.0');
  const file = new DatabaseSync(`${site.home}/machine.db`);
  file.exec(`
    CREATE TRIGGER refused BEFORE DELETE ON activations
    BEGIN SELECT RAISE(ABORT, 'there is no space'); END`);
  onTestFinished(() => {
    file.exec('DROP TRIGGER refused');
    file.close();
  });
  site.configure({ modules: [] });
  await site.change({});
  await site.until('lidar leaves: removed');
  expect(processes(site)).toBe(1);
  const ended = end();
  await expect.poll(() => processes(site)).toBe(0);
  await ended;
});
