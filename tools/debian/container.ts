import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const BOOT_MS = 60_000;
const STOP_MS = 20_000;
const POLL_MS = 100;
/** The first version of cgroups has a hierarchy for systemd; the second one has one for everything. */
const HIERARCHIES = ['/sys/fs/cgroup/systemd', '/sys/fs/cgroup/unified', '/sys/fs/cgroup'];

/**
 * A copy of this machine with a systemd of its own and without a network, over which files can be written and packages
 * installed: a container of systemd-nspawn. The process must have mounts of its own (`unshare --mount`).
 */
export class Container {
  /** What has been written in the container: files that it has and this machine does not. */
  readonly written: string;
  readonly root: string;
  readonly #folder: string;
  readonly #cgroup = `modreg-debian-${process.pid}`;
  #nspawn: ChildProcess | undefined;
  /** The pid of its systemd. */
  #init = 0;

  constructor() {
    this.#folder = mkdtempSync(join(tmpdir(), 'modreg-debian-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'mode=0755', 'modreg-debian', this.#folder]);
    this.written = join(this.#folder, 'written');
    this.root = join(this.#folder, 'root');
    const work = join(this.#folder, 'work');
    for (const folder of [this.written, this.root, work]) mkdirSync(folder);
    const layers = `lowerdir=/,upperdir=${this.written},workdir=${work}`;
    execFileSync('mount', ['-t', 'overlay', '-o', layers, 'modreg-debian', this.root]);
  }

  /** Starts systemd, and resolves when all units are started. */
  async boot(): Promise<void> {
    // In a cgroup of its own: containers that are started in the same cgroup would share those of their services.
    const script = `for hierarchy in ${HIERARCHIES.join(' ')}; do
        [ ! -e $hierarchy/cgroup.procs ] || { mkdir -p $hierarchy/$0 && echo $$ >$hierarchy/$0/cgroup.procs; }
      done
      exec "$@"`;
    const options = [
      '--register=no',
      '--keep-unit',
      '--private-network',
      '--console=pipe',
      '--boot',
    ];
    const nspawn = ['systemd-nspawn', '--quiet', ...options, '--directory', this.root];
    const killed = ['setpriv', '--pdeathsig', 'KILL', ...nspawn];
    this.#nspawn = spawn('sh', ['-c', script, this.#cgroup, ...killed], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    this.#nspawn.stderr?.on('data', (text: Buffer) => (said += text.toString()));
    await within(BOOT_MS, 'systemd of the container has started', async () => {
      if (this.#nspawn?.exitCode !== null) throw new Error(`systemd-nspawn has ended: ${said}`);
      this.#init ||= systemdOf(this.#nspawn.pid ?? 0);
      const state = this.#init && (await this.sh('systemctl is-system-running || true'));
      return state === 'running' || state === 'degraded';
    });
  }

  /** What a script prints. Throws an Error with all its output if it fails. */
  async sh(script: string): Promise<string> {
    const enter = ['--all', '--target', String(this.#init)];
    const shell = ['env', '-i', `PATH=${PATH}`, 'LC_ALL=C.UTF-8', 'sh', '-ec', script];
    try {
      return (await run('nsenter', [...enter, ...shell])).stdout.trim();
    } catch (error) {
      const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string };
      throw new Error(`${script} failed\n${stdout}${stderr}`, { cause: error });
    }
  }

  /** Resolves when the output of a script matches. Returns the milliseconds that it took. */
  async until(script: string, expected: RegExp, limitMs: number): Promise<number> {
    const start = performance.now();
    let printed = '';
    try {
      await within(limitMs, `${script} prints ${expected}`, async () => {
        printed = await this.sh(`${script} 2>&1 || true`);
        return expected.test(printed);
      });
    } catch (error) {
      throw new Error(`the last output is\n${printed}`, { cause: error });
    }
    return performance.now() - start;
  }

  async stop(): Promise<void> {
    const nspawn = this.#nspawn;
    if (nspawn && nspawn.exitCode === null && nspawn.signalCode === null) {
      const exit = once(nspawn, 'exit');
      nspawn.kill();
      setTimeout(() => nspawn.kill('SIGKILL'), STOP_MS).unref();
      await exit;
    }
    execFileSync('umount', ['--lazy', this.root, this.#folder]);
    rmSync(this.#folder, { recursive: true });
    for (const one of HIERARCHIES) {
      const folder = join(one, this.#cgroup);
      if (!existsSync(folder)) continue;
      execFileSync('find', [folder, '-depth', '-type', 'd', '-exec', 'rmdir', '{}', ';']);
    }
  }
}

/** The pid of the systemd that a systemd-nspawn has started; 0 if it has not started it yet. */
function systemdOf(nspawn: number): number {
  const children = readFileSync(`/proc/${nspawn}/task/${nspawn}/children`, 'utf8').trim();
  const found = children.split(' ').find((pid) => {
    // systemd-nspawn has other children for moments.
    const file = `/proc/${pid}/comm`;
    return existsSync(file) && readFileSync(file, 'utf8') === 'systemd\n';
  });
  return Number(found ?? 0);
}

async function within(ms: number, what: string, isTrue: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + ms;
  while (!(await isTrue())) {
    if (performance.now() > end) throw new Error(`${what}: not within ${ms / 1000} s`);
    await sleep(POLL_MS);
  }
}
