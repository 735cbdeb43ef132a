import { RECOVERED_MS } from '../../src/agent/supervision/back-off.ts';
import type { Command } from '../../src/agent/supervision/lifecycle.ts';
import type { Activation } from '../../src/core/machine/activation.ts';
import type { Entry } from './entry.ts';

/* What must hold for one module entry, whatever happens. */

/** What was tried so often, each time until the agent was killed, is to blame. */
const MOST_KILLS = 3;
/** Half of the time after which a crash is forgotten, so that the ages of crashes are few. */
export const PROBATION_MS = RECOVERED_MS / 2;
/** Whether a version that is tried was ready for its probation. */
export function isTried({ lifecycle: { state }, process, now }: Entry): boolean {
  if (state !== 'trying' && state !== 'probation') return true;
  return process?.readyAt !== undefined && now - process.readyAt >= PROBATION_MS;
}

/** Whether a version that worked is on disk, if one may run again. */
export function isKept(worked: readonly string[], disk: Activation | undefined): boolean {
  if (worked.length === 0) return true;
  const kept = [disk?.previous?.root, disk && 'current' in disk ? disk.current.root : undefined];
  return kept.some((root) => root !== undefined && worked.includes(root));
}

/** What an outcome says that is not so. */
export function brokenBy(
  command: Extract<Command, { readonly command: 'done' | 'fail' }>,
  { process, disk, kills, hasFailed }: Entry,
): string[] {
  if (command.command === 'fail') {
    if (command.blame === 'release' && !hasFailed && kills < MOST_KILLS)
      return [`${command.action} is blamed after ${kills} kills, and nothing failed`];
    const inUse = disk?.phase === 'stable' ? disk.current.version : disk?.previous?.version;
    const isSo = command.running === null || command.running === inUse;
    return isSo ? [] : [`${command.running} is said to be in use, and ${inUse} is`];
  }
  if (process?.readyAt === undefined || process.isEnding)
    return [`${command.action} is done, and no process is ready`];
  return [];
}

/** What disk says that is to run: a killed agent would start the same. */
export function rootToRun(disk: Activation | undefined): string | undefined {
  if (disk?.phase === 'trying') return disk.candidate.root;
  return disk?.phase === 'stable' ? disk.current.root : disk?.previous.root;
}

export function brokenAt({ lifecycle, process }: Entry): string[] {
  const { state } = lifecycle;
  const isNone = state === 'idle' || state === 'held' || state === 'backing-off';
  if (isNone === (process === undefined)) return [];
  return [
    process ? `a process exists although it is ${state}` : `no process exists: it is ${state}`,
  ];
}
