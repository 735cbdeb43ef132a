import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SelfUpdate } from '../../src/agent/self-update.ts';
import {
  nextProgram,
  runningVersion,
  startNext,
  writeLauncher,
} from '../../src/agent/launcher/launcher-folder.ts';
import { agentStatusCommand } from '../../src/cli/agent/status-command.ts';
import { openMachineFile } from '../../src/store/index.ts';
import { agentSite, type AgentSite } from '../support/agent-site.ts';
import { temporaryFolder } from '../support/folder.ts';
import { entry } from '../support/planned.ts';
import { quietWorld } from '../support/quiet-world.ts';

const SITE = { modules: [entry('acme:lidar', '1.*', 'lidar')] };
const STAYS = 'exec sleep 1000';
/** A release of the agent, whose program says its version. */
const WORKS = '[ "$1" = version ]';

interface Launched extends AgentSite {
  /** Starts the program that the launcher would start. */
  readonly launch: () => Promise<() => Promise<void>>;
}

/** A site whose agent 0.2.0 was started by its launcher, with a module that runs. */
async function launched(config: object = SITE): Promise<Launched> {
  const site = await agentSite(config);
  const home = realpathSync(site.home);
  const first = join(home, 'first');
  writeFileSync(first, '');
  writeLauncher(home, first);
  const launch = async (): Promise<() => Promise<void>> =>
    await site.start({ program: nextProgram(home) ?? first, version: '0.2.0' });
  site.publish('acme:lidar', '1.0.0', STAYS);
  site.publish('platform:agent', '0.2.0', WORKS);
  return { ...site, home, launch };
}

/** The self-update of an agent 0.2.0 whose program is this one. */
function ofAgent(home: string, program: string): SelfUpdate {
  const file = openMachineFile(':memory:');
  onTestFinished(() => file.close());
  return new SelfUpdate(file, home, { program, version: '0.2.0' });
}

/** What `modreg agent status` says besides its table, and in JSON about the agent. */
function status({ home }: AgentSite): unknown[] {
  const world = { ...quietWorld('linux/x64'), environment: { PLATFORM_HOME: home } };
  const [json = ''] = agentStatusCommand({ json: true }, world).answer;
  const { agent, modules } = JSON.parse(json) as { agent: unknown; modules: { name: string }[] };
  return [...agentStatusCommand({}, world).notes, agent, modules.map(({ name }) => name)];
}

/** The version in the folder of the program that starts next. */
function next({ home }: AgentSite): string | undefined {
  const program = nextProgram(home);
  return program === undefined ? undefined : dirname(program).replace(/^.*\/(.*)-\w+$/, '$1');
}

const RESTART =
  'agent 0.3.0 is installed, and 0.2.0 runs: restart the agent (systemctl restart platform-agent)';

describe('platform-agent', () => {
  it('[A21] keeps the package that its launcher starts, also if another program starts the agent', async () => {
    const site = await launched();
    const root = join(site.home, 'packages/platform/agent/0.2.0-0123456789ab');
    const others = ['0.1.0-a', '0.1.1-b'].map((name) => join(dirname(root), name));
    for (const folder of [root, ...others]) mkdirSync(folder, { recursive: true });
    writeFileSync(join(root, 'modreg'), '');
    const long = new Date(Date.now() - 30 * 86_400_000);
    for (const folder of [root, ...others]) utimesSync(folder, long, long);
    writeLauncher(site.home, join(root, 'modreg'));
    await site.start();
    expect(readdirSync(dirname(root))).toEqual(['0.2.0-0123456789ab']);
  });

  it('[D71] is installed for the next start, while the modules run, and status says that and why a restart is required', async () => {
    const site = await launched();
    const end = await site.launch();
    await site.until('lidar running 1.0.0');
    await site.until('done');
    expect(status(site)).toEqual([
      { running: '0.2.0', installed: '0.2.0', restart_required: null },
      ['lidar'],
    ]);
    site.publish('platform:agent', '0.3.0', `: another; ${WORKS}`);
    await site.until('0.3.0 is installed, 0.2.0 runs');
    await site.until('done');
    expect(status(site)).toEqual([
      RESTART,
      { running: '0.2.0', installed: '0.3.0', restart_required: RESTART },
      ['lidar'],
    ]);
    expect(site.story.filter((line) => line.startsWith('lidar stopped'))).toEqual([]);
    await end();
    site.story.length = 0;
    await site.launch();
    await site.until('lidar running 1.0.0');
    expect(status(site)).toEqual([
      { running: '0.3.0', installed: '0.3.0', restart_required: null },
      ['lidar'],
    ]);
    expect(runningVersion(site.home, 1)).toBeUndefined();
  });

  it.runIf(process.getuid?.() === 0).each([
    ['nobody', 0o711, 'nobody'],
    ['nobody', 0o700, 'root'],
    ['root', 0o711, 'root'],
  ])(
    '[T274] says its version as the user of modules before it is installed: run_as %s, home %o: %s',
    async (runAs, mode, expected) => {
      const site = await launched();
      chmodSync(site.home, mode);
      await site.launch();
      await site.until('lidar running 1.0.0');
      await site.change({ runAs });
      site.publish('platform:agent', '0.3.0', `id -un; ${WORKS}`);
      const installed = '0.3.0 is installed, 0.2.0 runs';
      await expect.poll(() => site.story).toContain(installed);
      expect(site.story).toContain(`platform-agent says ${expected}`);
    },
  );

  it('counts as working after twice the probation, and its starts are not counted any more', async () => {
    const site = await launched();
    // An agent that ends at once ends before twice this time is over, also on a busy machine.
    await site.change({ probationMs: 200 });
    const end = await site.launch();
    await site.until('lidar running 1.0.0');
    site.publish('platform:agent', '0.3.0', `: another; ${WORKS}`);
    await site.until('0.3.0 is installed, 0.2.0 runs');
    const count = join(site.home, 'agent/unconfirmed');
    expect(readFileSync(count, 'utf8')).toBe('0\n');
    // Its launcher counts, and the agent that ends did not fail.
    writeFileSync(count, '2\n');
    await end();
    // The agent before it has nothing to say about the release that is installed.
    expect(readFileSync(count, 'utf8')).toBe('2\n');
    const stop = await site.launch();
    await stop();
    expect(readFileSync(count, 'utf8')).toBe('0\n');
    await site.launch();
    await expect.poll(() => existsSync(count)).toBe(false);
  });

  it('[A21] does not confirm or forgive the release that is installed while it runs itself', () => {
    const home = temporaryFolder();
    const [first, second] = [join(home, 'first'), join(home, 'second')];
    for (const program of [first, second]) writeFileSync(program, '');
    writeLauncher(home, first);
    startNext(home, second, first);
    const count = join(home, 'agent/unconfirmed');
    writeFileSync(count, '1\n');
    ofAgent(home, first).confirm();
    ofAgent(home, first).forgive();
    expect([readFileSync(count, 'utf8'), nextProgram(home)]).toEqual(['1\n', second]);
    ofAgent(home, second).forgive();
    expect(readFileSync(count, 'utf8')).toBe('0\n');
    ofAgent(home, second).confirm();
    expect(existsSync(count)).toBe(false);
  });

  it('[A21] is not installed again if the launcher went back from it', async () => {
    const site = await launched();
    const end = await site.launch();
    await site.until('lidar running 1.0.0');
    site.publish('platform:agent', '0.3.0', `: another; ${WORKS}`);
    await site.until('0.3.0 is installed, 0.2.0 runs');
    await site.until('done');
    await end();
    const failed = nextProgram(site.home) ?? '';
    const folder = join(site.home, 'agent');
    // As the launcher writes it.
    writeFileSync(
      join(folder, 'failed'),
      `${failed}\nit was started 3 times, and never stayed up\n`,
    );
    rmSync(join(folder, 'current'));
    site.story.length = 0;
    const stop = await site.launch();
    await site.until('reported 0.3.0: it was started 3 times, and never stayed up');
    expect(status(site)).toEqual([
      { running: '0.2.0', installed: '0.2.0', restart_required: null },
      ['lidar'],
    ]);
    site.publish('platform:agent', '0.3.1', `: a better one; ${WORKS}`);
    await site.until('0.3.1 is installed, 0.2.0 runs');
    expect(existsSync(join(folder, 'failed'))).toBe(false);
    await stop();
    expect(next(site)).toBe('0.3.1');
  });

  it('is not installed if its program does not say its version', async () => {
    const site = await launched();
    await site.launch();
    await site.until('lidar running 1.0.0');
    site.publish('platform:agent', '0.3.0', 'exit 7');
    await site.until(
      'quarantined 0.3.0: its program does not say its version: it ended with exit code 7',
    );
    expect(next(site)).toBeUndefined();
  });

  it('keeps the packages that the launcher may start', async () => {
    const site = await launched();
    let end = await site.launch();
    await site.until('lidar running 1.0.0');
    for (const version of ['0.3.0', '0.4.0', '0.5.0', '0.6.0', '0.7.0']) {
      site.publish('platform:agent', version, `: ${version}; ${WORKS}`);
      await site.until(new RegExp(`^${version} is installed, `));
      await site.until('done');
      if (version === '0.3.0') {
        await end();
        end = await site.launch();
      }
    }
    await end();
    // What other versions left is removed by the start of an agent; 0.3.0 is the oldest of them.
    await site.launch();
    const kept = readdirSync(join(site.home, 'packages/platform/agent'));
    expect(kept.map((name) => name.replace(/-\w+$/, '')).toSorted()).toEqual([
      '0.3.0',
      '0.5.0',
      '0.6.0',
      '0.7.0',
    ]);
  });

  it('is not installed if the policy says self_update: false, or if no launcher started the agent', async () => {
    const site = await launched();
    await site.change({ selfUpdate: false });
    let end = await site.launch();
    await site.until('lidar running 1.0.0');
    site.publish('platform:agent', '0.3.0', WORKS);
    site.publish('acme:lidar', '1.1.0', `: another; ${STAYS}`);
    await site.until('lidar running 1.1.0');
    await end();
    await site.change({ selfUpdate: true });
    end = await site.start();
    site.publish('acme:lidar', '1.2.0', `: a third one; ${STAYS}`);
    await site.until('lidar running 1.2.0');
    expect(site.requests.filter((path) => path.includes('platform'))).toEqual([]);
  });

  it('[D48] is not replaced by a file of a pin_url that cannot be installed, which is tried again after a while', async () => {
    const site = await launched();
    await site.launch();
    await site.until('lidar running 1.0.0');
    const before = nextProgram(site.home);
    const pin_url = `${site.file('/agent', WORKS)}#sha256=${'0'.repeat(64)}`;
    site.configure({ ...SITE, agent: { 'platform-agent': { pin_url } } });
    await site.until(/^failed \(machine, 0\.2\.0\): .*sha256/);
    expect(nextProgram(site.home)).toBe(before);
  });

  it('[D27] is what a pin_url names, and an address that did not work is not tried again', async () => {
    const site = await launched();
    const end = await site.launch();
    await site.until('lidar running 1.0.0');
    const address = site.file('/agent', `: pinned; ${WORKS}`);
    site.configure({ ...SITE, agent: { 'platform-agent': { pin_url: address } } });
    await site.until(`${address} is installed, 0.2.0 runs`);
    await site.until('done');
    await end();
    const failed = nextProgram(site.home) ?? '';
    const folder = join(site.home, 'agent');
    writeFileSync(join(folder, 'failed'), `${failed}\nits program is missing\n`);
    rmSync(join(folder, 'current'));
    await site.launch();
    await site.until(
      'failed (machine, 0.2.0): it did not work: its program is missing (another address is tried)',
    );
    expect(next(site)).toBeUndefined();
  });
});
