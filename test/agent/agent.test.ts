import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { marked, runIdOf } from '../../src/agent/process/process-table.ts';
import { agentSite, FOR_PROGRAM, type AgentSite } from '../support/agent-site.ts';
import { ROOT } from '../support/modreg.ts';
import { plainServer } from '../../mocks/plain-server.ts';
import { entry } from '../support/planned.ts';

const LIDAR = { modules: [entry('acme:lidar', '1.*', 'lidar')] };
const STAYS = 'exec sleep 1000';
const DAY = 86_400_000;

/** The processes of the site's modules. */
function processes({ home }: AgentSite): number {
  return marked(`${runIdOf(home)}/`).length;
}

/** A site on which 1.0.0 of a module runs. */
async function running(script = STAYS): Promise<AgentSite> {
  const site = await agentSite(LIDAR, script === STAYS ? {} : FOR_PROGRAM);
  site.publish('acme:lidar', '1.0.0', script);
  await site.start();
  await site.until('lidar running 1.0.0');
  await site.until('done');
  return site;
}

async function freePort(): Promise<number> {
  const server = await plainServer(() => undefined);
  server.close();
  return Number(new URL(server.address).port);
}

describe('a published release', () => {
  it('is installed, started, and works after its probation', async () => {
    const site = await agentSite(LIDAR);
    site.publish('acme:lidar', '1.0.0', STAYS);
    await site.start();
    await site.until('lidar trying 1.0.0');
    await site.until('lidar probation 1.0.0');
    await site.until('lidar running 1.0.0');
    await site.until('done');
    expect(processes(site)).toBe(1);
  });

  it('replaces the version before it, and both stay on the disk', async () => {
    const site = await running();
    site.publish('acme:lidar', '1.1.0', STAYS);
    await site.until('lidar stopping');
    await site.until('lidar trying 1.1.0');
    await site.until('lidar running 1.1.0');
    await site.until('done');
    expect(processes(site)).toBe(1);
    const kept = readdirSync(join(site.home, 'packages/acme/lidar')).map((name) =>
      name.slice(0, 5),
    );
    expect(kept.toSorted()).toEqual(['1.0.0', '1.1.0']);
  });

  it('[A3] that ends is rolled back at once', async () => {
    const site = await running();
    await site.change(FOR_PROGRAM);
    site.publish('acme:lidar', '1.1.0', 'echo no motor >&2; exit 3');
    await site.until('lidar failed: it ended with exit code 3: no motor');
    await site.until('lidar rolling-back 1.0.0');
    await site.until('lidar running 1.0.0');
    await site.until('failed (release, 1.0.0): it ended with exit code 3: no motor');
    expect(processes(site)).toBe(1);
  });

  it('[A1] whose file cannot be downloaded stops nothing', async () => {
    const site = await running();
    site.publish('acme:lidar', '1.1.0', STAYS);
    site.remove('acme:lidar', '1.1.0');
    await site.until(/^failed \(machine, 1\.0\.0\): /);
    expect(site.story.filter((line) => line.startsWith('lidar'))).toEqual([]);
    expect(processes(site)).toBe(1);
  });

  it('[A3] that is not ready in time says what was probed, and who names the probe', async () => {
    const site = await running();
    const port = await freePort();
    await site.change({ ready: { kind: 'tcp', host: '127.0.0.1', port }, readyMs: 1000 });
    site.publish('acme:lidar', '1.1.0', STAYS);
    await site.until(
      `lidar failed: it was not ready within 1 s: nothing listens on 127.0.0.1:${port} (ready in the update policy)`,
    );
    expect(processes(site)).toBeLessThanOrEqual(1);
  });

  it('[A18] whose interpreter this machine does not have stops nothing, and is tried again', async () => {
    const site = await running();
    site.publish('acme:lidar', '1.1.0', '#!/usr/bin/absent');
    await site.until(
      'failed (machine, 1.0.0): it cannot be started: its first line names /usr/bin/absent, which this machine does not have',
    );
    expect(site.story.filter((line) => line.startsWith('lidar'))).toEqual([]);
    expect(processes(site)).toBe(1);
  });
});

it('a release is installed while the download of another one waits for its server', async () => {
  const site = await agentSite({ modules: [...LIDAR.modules, entry('acme:arm', '1.*', 'arm')] });
  site.publish('acme:lidar', '1.0.0', STAYS);
  site.publish('acme:arm', '1.0.0', `: another file; ${STAYS}`);
  const answer = site.delay('acme:lidar', '1.0.0');
  await site.start();
  await site.until('arm running 1.0.0');
  expect(processes(site)).toBe(1);
  answer();
  await site.until('lidar running 1.0.0');
});

it('two entries of one module are installed from one download', async () => {
  const site = await agentSite({ modules: [...LIDAR.modules, entry('acme:lidar', '1.*', 'rear')] });
  site.publish('acme:lidar', '1.0.0', STAYS);
  await site.start();
  await site.until('done');
  await site.until('done');
  expect(site.requests.filter((path) => path === '/acme:lidar/1.0.0')).toHaveLength(1);
  expect(processes(site)).toBe(2);
});

describe('a module that works', () => {
  it('[A4] and ends is started again at once', async () => {
    const site = await running('echo started; exec sleep 1000');
    const [{ pid } = { pid: 0 }] = marked(`${runIdOf(site.home)}/`);
    process.kill(pid, 'SIGKILL');
    await site.until('lidar failed: it was killed by SIGKILL, cause unknown');
    await site.until('lidar says started');
    await site.until('lidar running 1.0.0');
    expect(processes(site)).toBe(1);
  });

  it('[A4] and fails its probes is started again, and says what came back', async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/health`;
    const site = await agentSite(LIDAR, { readyMs: 20_000, probeMs: 20 });
    const meta = { entrypoint: 'run', ready: url };
    const serves = `exec ${process.execPath} ${ROOT}test/agent/support/fake-module.ts serves ${port}`;
    site.publish('acme:lidar', '1.0.0', serves, meta);
    await site.start();
    await site.until('done');
    const [{ pid } = { pid: 0 }] = marked(`${runIdOf(site.home)}/`);
    process.kill(pid, 'SIGUSR2');
    await site.until(
      `lidar failed: it failed 3 probes in a row: ${url} answered 503, expected 200 to 299 (ready in the package's meta.json)`,
    );
    await site.until('lidar running 1.0.0');
    expect(processes(site)).toBe(1);
  });

  it('[A16] is stopped when its entry leaves the config, and keeps its data', async () => {
    const site = await running('touch "$PLATFORM_MODULE_DATA/kept"; exec sleep 1000');
    site.configure({ modules: [] });
    await site.until('lidar leaves: removed');
    await site.until('lidar stopped 1.0.0');
    await site.until('lidar idle');
    expect(processes(site)).toBe(0);
    expect(existsSync(join(site.home, 'module-data/local/lidar/kept'))).toBe(true);
    site.configure(LIDAR);
    await site.until('lidar running 1.0.0');
  });

  it('is stopped when platform-server is disabled, or its entry is of another module', async () => {
    const site = await running();
    site.publish('acme:radar', '1.0.0', STAYS);
    site.configure({ ...LIDAR, agent: { 'platform-server': { disable_subsystem: true } } });
    await site.until('lidar leaves: server-disabled');
    await site.until('lidar idle');
    site.configure(LIDAR);
    await site.until('lidar running 1.0.0');
    site.configure({ modules: [entry('acme:radar', '1.*', 'lidar')] });
    await site.until('lidar leaves: replaced');
    await site.until('lidar stopped 1.0.0');
    await site.until('lidar trying 1.0.0');
    await site.until('lidar running 1.0.0');
    expect(processes(site)).toBe(1);
  });

  it('[A16] is not started if its entry leaves the config during its download', async () => {
    const site = await agentSite(LIDAR);
    site.publish('acme:lidar', '1.0.0', STAYS);
    const answer = site.delay('acme:lidar', '1.0.0');
    await site.start();
    await expect.poll(() => site.requests).toContain('/acme:lidar/1.0.0');
    site.configure({ modules: [] });
    // Resolves once the agent has read both.
    await site.change({});
    answer();
    await site.until('lidar is not begun: 1.0.0');
    expect(processes(site)).toBe(0);
  });

  it('[A16] is not done if its entry leaves the config during its trial, and is tried again with it', async () => {
    const site = await agentSite(LIDAR, { probationMs: DAY });
    site.publish('acme:lidar', '1.0.0', STAYS);
    await site.start();
    await site.until('lidar probation 1.0.0');
    site.configure({ modules: [] });
    await site.until('failed (machine, none): its entry left the config');
    await site.until('lidar idle');
    expect(processes(site)).toBe(0);
    site.configure(LIDAR);
    await site.until('lidar probation 1.0.0');
  });

  it.each([
    ["the policy's, whatever the package says", 300, '90s', 300],
    ["the package's, if the policy says nothing", undefined, '1s', 1000],
  ])('and does not end in its time is killed: %s', async (_, stopMs, stop_timeout, expected) => {
    const site = await agentSite(LIDAR, { ...FOR_PROGRAM, stopMs });
    const meta = { entrypoint: 'run', stop_timeout };
    site.publish('acme:lidar', '1.0.0', "trap '' TERM; while :; do sleep 1; done", meta);
    await site.start();
    await site.until('done');
    site.configure({ modules: [] });
    await site.until(`lidar killed 1.0.0 after ${expected} ms`);
    expect(processes(site)).toBe(0);
  });

  it('[A11] ends with what it started in the background, also what ignores signals', async () => {
    const site = await agentSite(LIDAR, { ...FOR_PROGRAM, stopMs: 100 });
    const hides = "setsid sh -c 'trap \"\" TERM; sleep 1000' & trap '' TERM; sleep 1000";
    site.publish('acme:lidar', '1.0.0', hides);
    const end = await site.start();
    await site.until('lidar running 1.0.0');
    expect(processes(site)).toBeGreaterThanOrEqual(3);
    await end();
    expect(processes(site)).toBe(0);
  });
});

describe('the next agent', () => {
  it('starts what the one before it ran, without a request', async () => {
    const site = await agentSite(LIDAR);
    site.publish('acme:lidar', '1.0.0', STAYS);
    const end = await site.start();
    await site.until('done');
    await end();
    site.story.length = 0;
    await site.start();
    await site.until('lidar running 1.0.0');
    expect(site.story).toEqual([]);
  });

  it('keeps the version before a trial, however old it is, and rolls back to it', async () => {
    const site = await agentSite(LIDAR);
    site.publish('acme:lidar', '1.0.0', STAYS);
    const end = await site.start();
    await site.until('done');
    await site.change({ probationMs: DAY });
    const script = `[ ! -e "$PLATFORM_MODULE_DATA/broken" ] || exit 3; ${STAYS}`;
    site.publish('acme:lidar', '1.1.0', script);
    await site.until('lidar probation 1.1.0');
    await end();
    writeFileSync(join(site.home, 'module-data/local/lidar/broken'), '');
    const packages = join(site.home, 'packages/acme/lidar');
    for (const name of readdirSync(packages)) utimesSync(join(packages, name), 0, 0);
    await site.start();
    await site.until('failed (release, 1.0.0): it ended with exit code 3');
    expect(processes(site)).toBe(1);
  });
});

it('[A13] a module whose port another process has is not started', async () => {
  const other = await plainServer((response) => response.end());
  const port = Number(new URL(other.address).port);
  const site = await agentSite(LIDAR, { ready: { kind: 'tcp', host: '127.0.0.1', port } });
  site.publish('acme:lidar', '1.0.0', STAYS);
  await site.start();
  await site.until(
    `failed (machine, none): port ${port} of 127.0.0.1 cannot be used (EADDRINUSE): another process has it`,
  );
  expect(processes(site)).toBe(0);
});

it('a local module is supervised too', async () => {
  const own = {
    type: 'local',
    name: 'own',
    module_id: 'acme:own',
    executable_path: '/usr/bin/yes',
    env: { GREETING: 'hello' },
  };
  const site = await agentSite({ modules: [own] }, FOR_PROGRAM);
  await site.start();
  await site.until('own running local');
  const [{ pid } = { pid: 0 }] = marked(`${runIdOf(site.home)}/own/`);
  const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  expect(environment).toContain('GREETING=hello');
});
