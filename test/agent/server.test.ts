import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { marked, runIdOf } from '../../src/agent/process/process-table.ts';
import { systemClock, type Clock } from '../../src/registries/index.ts';
import { agentSite, FOR_PROGRAM, type AgentSite } from '../support/agent-site.ts';
import { plainServer } from '../../mocks/plain-server.ts';
import { entry } from '../support/planned.ts';

const MODULES = [entry('acme:lidar', '1.*', 'lidar')];
const SITE = { modules: MODULES, agent: { 'platform-server': {} } };
const STAYS = 'exec sleep 1000';

/** The names of the processes of the site. */
function running({ home }: AgentSite): string[] {
  return marked(`${runIdOf(home)}/`)
    .map(({ mark }) => mark.split('/')[0] ?? '')
    .toSorted();
}

/** A site on which a server and a module run. */
async function served(config: object = SITE, meta?: object): Promise<AgentSite> {
  const site = await agentSite(config);
  site.publish('platform:server', '1.0.0', STAYS, meta);
  site.publish('acme:lidar', '1.0.0', STAYS);
  await site.start();
  await site.until('lidar running 1.0.0');
  await site.until('done');
  return site;
}

/** The lines of the story about the order of processes. */
function order({ story }: AgentSite): string[] {
  return story.filter((line) => / (?:stopped|trying|starting|running) /.test(line));
}

/** Back-offs begin with a second. What is shorter, or has no end, waits for real programs. */
const IMPATIENT: Clock = {
  ...systemClock,
  sleep: async (ms, signal) => {
    await systemClock.sleep(ms >= 1000 && ms < Infinity ? 20 : ms, signal);
  },
};

describe('platform-server', () => {
  it('[D47] is installed and started before the modules', async () => {
    const site = await agentSite(SITE);
    site.publish('acme:lidar', '1.0.0', STAYS);
    await site.start();
    await site.until('lidar waits for platform-server');
    expect(running(site)).toEqual([]);
    site.publish('platform:server', '1.0.0', STAYS);
    await site.until('platform-server probation 1.0.0');
    await site.until('lidar trying 1.0.0');
    await site.until('lidar running 1.0.0');
    expect(running(site)).toEqual(['lidar', 'platform-server']);
  });

  it('starts first, and ends last, with each agent', async () => {
    const site = await agentSite(SITE);
    site.publish('platform:server', '1.0.0', STAYS);
    site.publish('acme:lidar', '1.0.0', STAYS);
    const end = await site.start();
    await site.until('lidar running 1.0.0');
    await site.until('done');
    site.story.length = 0;
    await end();
    expect(order(site)).toEqual(['lidar stopped 1.0.0', 'platform-server stopped 1.0.0']);
    site.story.length = 0;
    await site.start();
    await site.until('lidar waits for platform-server');
    await site.until('platform-server running 1.0.0');
    await site.until('lidar running 1.0.0');
  });

  it('is replaced while the modules are stopped, and they start again after it', async () => {
    const site = await served();
    site.publish('platform:server', '1.1.0', `: another; ${STAYS}`);
    await site.until('lidar stopped 1.0.0');
    await site.until('platform-server stopped 1.0.0');
    await site.until('platform-server trying 1.1.0');
    await site.until('platform-server running 1.1.0');
    await site.until('lidar running 1.0.0');
    expect(running(site)).toEqual(['lidar', 'platform-server']);
  });

  it('[A3] is rolled back if a release does not work, and the modules run again', async () => {
    const site = await served();
    await site.change(FOR_PROGRAM);
    site.publish('platform:server', '1.1.0', 'exit 4');
    await site.until('platform-server failed: it ended with exit code 4');
    await site.until('platform-server running 1.0.0');
    await site.until('lidar running 1.0.0');
    expect(running(site)).toEqual(['lidar', 'platform-server']);
  });

  it('[A17] that ends stops the modules, which start again after it', async () => {
    const site = await served();
    const [server] = marked(`${runIdOf(site.home)}/platform-server/`);
    process.kill(server?.pid ?? 0, 'SIGKILL');
    await site.until(/^platform-server failed: it was killed by SIGKILL/);
    await site.until('lidar stopped 1.0.0');
    await site.until('platform-server running 1.0.0');
    await site.until('lidar running 1.0.0');
    expect(running(site)).toEqual(['lidar', 'platform-server']);
  });

  it('[D41] restarts on request, with the modules', async () => {
    const site = await served();
    site.restart('platform:server', 'platform-server');
    await site.until('platform-server stopped 1.0.0');
    await site.until('platform-server running 1.0.0');
    await site.until('done');
    await site.until('lidar running 1.0.0');
    expect(running(site)).toEqual(['lidar', 'platform-server']);
  });

  it('[D27, D48] runs what a pin_url names, and goes on with the version before it if that does not work', async () => {
    const site = await served();
    const address = site.file('/server', `: pinned; ${STAYS}`);
    const pin = (url: string): void =>
      site.configure({ ...SITE, agent: { 'platform-server': { pin_url: url } } });
    pin(address);
    await site.until(`platform-server running ${address}`);
    await site.until('lidar running 1.0.0');
    expect(readdirSync(join(site.home, 'packages/platform/server'))).toHaveLength(2);
    await site.change(FOR_PROGRAM);
    const broken = site.file('/broken', 'exit 5');
    pin(broken);
    await site.until('platform-server failed: it ended with exit code 5');
    await site.until(`platform-server running ${address}`);
    await site.until(`failed (release, ${address}): it ended with exit code 5`);
    await site.until(
      `failed (machine, ${address}): it did not work: it ended with exit code 5 (another address is tried)`,
    );
    await site.until('lidar running 1.0.0');
    expect(running(site)).toEqual(['lidar', 'platform-server']);
  });

  it('[D48] is not replaced by a file that cannot be installed, which is tried again after a while and is no restart', async () => {
    const site = await served();
    // The first version was a restart, and one more is permitted.
    await site.change({}, { restartCeiling: 2 });
    const pin = (url: string): void =>
      site.configure({ ...SITE, agent: { 'platform-server': { pin_url: url } } });
    const times = (path: string): number => site.requests.filter((one) => one === path).length;
    pin(`${site.file('/other', `: other; ${STAYS}`)}#sha256=${'0'.repeat(64)}`);
    await site.until(/^failed \(machine, 1\.0\.0\): .*sha256/);
    // A file with another digest is downloaded once more before it is refused.
    expect(times('/other')).toBe(2);
    const address = site.file('/server', `: pinned; ${STAYS}`);
    pin(address);
    await site.until(`platform-server running ${address}`);
    expect(times('/server')).toBe(1);
  });

  it('[D48] without a version before it is tried again after a while if a pin_url does not work', async () => {
    const site = await agentSite({ modules: MODULES }, FOR_PROGRAM);
    const address = site.file('/broken', 'exit 5');
    site.configure({ ...SITE, agent: { 'platform-server': { pin_url: address } } });
    await site.start();
    await site.until('failed (machine, none): it ended with exit code 5');
    expect(running(site)).toEqual([]);
  });

  it('[D48] that a pin_url names is started again and again if it stops working, and has no version to report', async () => {
    const site = await agentSite({ modules: MODULES }, FOR_PROGRAM, { clock: IMPATIENT });
    const broken = join(site.home, 'broken');
    const address = site.file('/server', `[ ! -e ${broken} ] || exit 5; ${STAYS}`);
    site.configure({ ...SITE, agent: { 'platform-server': { pin_url: address } } });
    await site.start();
    await site.until(`platform-server running ${address}`);
    await site.until('done');
    writeFileSync(broken, '');
    for (const { pid } of marked(`${runIdOf(site.home)}/`)) process.kill(pid, 'SIGKILL');
    const ends = (): number =>
      site.story.filter((line) => line.endsWith('with exit code 5')).length;
    // The fifth one in ten minutes of a release would be reported.
    await expect.poll(ends).toBeGreaterThan(6);
    expect(site.story.filter((line) => line.startsWith('error'))).toEqual([]);
  });

  it('[D29] is asked whether it may be restarted, where its package says', async () => {
    const answers = ['{"restart_allowed": false}', 'busy', '{}'];
    let told: readonly string[] = [];
    const server = await plainServer((response) => {
      if (answers.length === 0) told = site.story.filter((line) => /does not say|error/.test(line));
      response.end(answers.shift() ?? '{"restart_allowed": true}');
    });
    const restart_status = `${server.address}/restart_status`;
    const site = await served(SITE, { entrypoint: 'run', restart_status });
    site.publish('acme:lidar', '1.1.0', `: another; ${STAYS}`);
    await site.until('lidar is held: maintenance-not-allowed not-allowed');
    expect(running(site)).toEqual(['lidar', 'platform-server']);
    await site.until('lidar running 1.1.0');
    expect(told).toEqual([
      `platform-server does not say: ${restart_status} answered without restart_allowed: true or false`,
    ]);
  });

  it('[D23, D47] ends with the modules when it is disabled, and the modules go on without it when the config no longer names it', async () => {
    const site = await served();
    site.configure({ ...SITE, agent: {} });
    await site.until('platform-server leaves: removed');
    await site.until('platform-server idle');
    expect(running(site)).toEqual(['lidar']);
    site.configure(SITE);
    await site.until('platform-server running 1.0.0');
    await site.until('lidar running 1.0.0');
    site.configure({ ...SITE, agent: { 'platform-server': { disable_subsystem: true } } });
    await site.until('lidar leaves: server-disabled');
    // Both are told to end at once, and either may be the first.
    const idle = ['lidar idle', 'platform-server idle'];
    await expect.poll(() => site.story).toEqual(expect.arrayContaining(idle));
    expect(running(site)).toEqual([]);
  });

  it('leaves its name, and that of the agent, to modules if the config does not name them', async () => {
    const site = await agentSite({
      modules: [
        entry('acme:lidar', '1.*', 'platform-agent'),
        entry('acme:lidar', '1.*', 'platform-server'),
      ],
    });
    site.publish('acme:lidar', '1.0.0', STAYS);
    await site.start();
    await site.until('done');
    await site.until('done');
    expect(running(site)).toEqual(['platform-agent', 'platform-server']);
  });

  it('[D47] is left alone unless the config names it', async () => {
    const site = await served({ modules: MODULES });
    expect(running(site)).toEqual(['lidar']);
    expect(site.requests.filter((path) => path.startsWith('/platform:server'))).toEqual([]);
  });
});
