import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../registry/clock.ts';

const REMOVE_POLL_MS = 10;
const REMOVE_ATTEMPTS = 100;
/** The kernel's files are there, or the cgroup is not one. */
const EXISTING = { flag: 'r+' };

/** The cgroup of one program. */
export interface ProgramCgroup {
  readonly folder: string;
  /** The file to which a process writes 0 to become a member. */
  readonly members: string;
  /** Whether the system has killed a member to free memory; undefined if the memory controller is not available. */
  readonly wasOutOfMemory: () => boolean | undefined;
  /** Kills every member. */
  readonly kill: () => void;
  /** Removes it, once its members have ended. */
  readonly remove: () => Promise<void>;
}

/** The cgroup of this agent itself, below the one that was delegated to it. */
const OWN = 'agent';

/**
 * The cgroup that a service manager has delegated to this process, if it runs as a service of its own that may create
 * cgroups (`Delegate=yes` of systemd). Moves this process into a cgroup below it: one with members cannot pass the memory
 * controller on, which tells that memory was short. Kills what an earlier agent left in the others (T273).
 */
export function delegatedCgroup({
  membership = '/proc/self/cgroup',
  mount = '/sys/fs/cgroup',
}: { readonly membership?: string; readonly mount?: string } = {}): string | undefined {
  try {
    const [, path] = /^0::(.+\.service)(?:\/agent)?$/m.exec(readFileSync(membership, 'utf8')) ?? [];
    if (path === undefined) return undefined;
    const folder = join(mount, path);
    mkdirSync(join(folder, OWN), { recursive: true });
    writeFileSync(join(folder, OWN, 'cgroup.procs'), '0', EXISTING);
    passMemoryOn(folder);
    const left = readdirSync(folder, { withFileTypes: true });
    for (const one of left)
      if (one.isDirectory() && one.name !== OWN) killIn(join(folder, one.name));
    return folder;
  } catch {
    // It is not delegated, or of the first version: programs run without one.
    return undefined;
  }
}

function passMemoryOn(folder: string): void {
  try {
    writeFileSync(join(folder, 'cgroup.subtree_control'), '+memory', EXISTING);
  } catch {
    // Other processes of the service are members, or the controller is not there: the cause of a SIGKILL is unknown.
  }
}

/** Creates the cgroup of a program below `parent`; undefined if that is not possible. */
export function programCgroup(parent: string, mark: string): ProgramCgroup | undefined {
  const folder = join(parent, mark.replace(/\/$/, '').replaceAll('/', '.'));
  try {
    mkdirSync(folder, { recursive: true });
  } catch {
    // It was not delegated, or is gone: programs run without it.
    return undefined;
  }
  const before = outOfMemoryKills(folder) ?? 0;
  return {
    folder,
    members: join(folder, 'cgroup.procs'),
    wasOutOfMemory: () => {
      const kills = outOfMemoryKills(folder);
      return kills === undefined ? undefined : kills > before;
    },
    kill: () => killIn(folder),
    remove: async () => await removed(folder, REMOVE_ATTEMPTS),
  };
}

/** What the members of a cgroup use; undefined if the system does not count it, or the cgroup is gone. */
export function cgroupUse(folder: string): {
  readonly memoryBytes: number | undefined;
  readonly cpuSeconds: number | undefined;
} {
  const memoryBytes = numberIn(join(folder, 'memory.current'), /^(\d+)$/m);
  const microseconds = numberIn(join(folder, 'cpu.stat'), /^usage_usec (\d+)$/m);
  return { memoryBytes, cpuSeconds: microseconds === undefined ? undefined : microseconds / 1e6 };
}

function killIn(folder: string): void {
  try {
    writeFileSync(join(folder, 'cgroup.kill'), '1', EXISTING);
  } catch {
    // Kernels before 5.14 have no such file: what remains is found by its mark.
  }
}

function outOfMemoryKills(folder: string): number | undefined {
  return numberIn(join(folder, 'memory.events'), /^oom_kill (\d+)$/m);
}

function numberIn(path: string, pattern: RegExp): number | undefined {
  try {
    const [, digits] = pattern.exec(readFileSync(path, 'utf8')) ?? [];
    return digits === undefined ? undefined : Number(digits);
  } catch {
    // The controller is not enabled, or the cgroup is gone.
    return undefined;
  }
}

async function removed(folder: string, attempts: number): Promise<void> {
  try {
    rmdirSync(folder);
  } catch (error) {
    // The kernel counts a member until it is gone completely.
    if ((error as NodeJS.ErrnoException).code !== 'EBUSY' || attempts === 0) return;
    await systemClock.sleep(REMOVE_POLL_MS);
    await removed(folder, attempts - 1);
  }
}
