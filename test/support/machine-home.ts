import { readdirSync, readFileSync } from 'node:fs';
import { openForPoller, openMachineFile } from '../../src/store/index.ts';
import type { LoggedDecision } from '../../src/core/plan/logged-decisions.ts';
import { machineStateIn, type MachineState } from '../../src/store/machine-state.ts';
import { claimed, running } from './claimed.ts';
import { targetNamed } from './day.ts';
import { temporaryFolder } from './folder.ts';

/** The current time in whole seconds, because other times are printed with milliseconds. */
export function wholeSecond(): number {
  return Math.floor(Date.now() / 1000) * 1000;
}

/** The home of a machine after `work` on its state. */
export function homeAfter(work: (state: MachineState) => void): string {
  const home = temporaryFolder();
  const file = openForPoller(`${home}/machine.db`);
  work(file.state);
  file.close();
  return home;
}

/** The home of a machine whose file is claimed until the end of the test, and its state. */
export function polledHome(): { readonly home: string; readonly state: MachineState } {
  const home = temporaryFolder();
  return { home, state: claimed(`${home}/machine.db`).state };
}

/** A logged decision on the module entry or the subsystem `name`. */
export function logged(name: string, more: Partial<LoggedDecision> = {}): LoggedDecision {
  const isSubsystem = name === 'platform-agent' || name === 'platform-server';
  return {
    kind: isSubsystem ? 'subsystem' : 'module',
    name,
    moduleId: name.replace(isSubsystem ? '-' : '_', ':'),
    constraint: '1.*',
    target: '1.1.0',
    latest: '1.1.0',
    decision: 'up-to-date',
    reason: 'already the newest release of 1',
    until: undefined,
    ...more,
  };
}

/** The deployed and the previous version of a module in machine.db, followed by the quarantine. */
export function rememberedIn(home: string, name = 'acme_lidar'): string[] {
  const file = openMachineFile(`${home}/machine.db`, { mode: 'read' });
  try {
    const state = machineStateIn(file);
    const entries = state.memory().quarantine.map(({ moduleId, version, rolledBack }) => {
      const rollback = rolledBack ? ` rolled back to ${rolledBack.to?.text ?? 'nothing'}` : '';
      return `${moduleId} ${version}${rollback}`;
    });
    return [running(state, targetNamed(name)), ...entries];
  } finally {
    file.close();
  }
}

/**
 * The bytes of each file in a folder, except SQLite's shared memory, which readers change, and the poller's lock: a process that
 * closes a file loses its locks on it.
 */
export function contentsOf(folder: string): Record<string, string> {
  const files = readdirSync(folder, { withFileTypes: true }).filter((file) => file.isFile());
  const names = files.map(({ name }) => name).filter((name) => !/-(shm|poller)$/.test(name));
  return Object.fromEntries(
    names.toSorted().map((name) => [name, readFileSync(`${folder}/${name}`, 'base64')]),
  );
}
