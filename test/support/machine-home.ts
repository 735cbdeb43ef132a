import { readdirSync, readFileSync } from 'node:fs';
import { openForPoller, openMachineFile } from '../../src/store/index.ts';
import type { LoggedDecision } from '../../src/core/plan/logged-decisions.ts';
import { machineStateIn, type MachineState } from '../../src/store/machine-state.ts';
import { claimed, running } from './claimed.ts';
import { targetNamed } from './day.ts';
import { temporaryFolder } from './folder.ts';

/** A time between whole seconds would show its milliseconds. */
export function wholeSecond(): number {
  return Math.floor(Date.now() / 1000) * 1000;
}

/** The home of a machine whose poller did `work`, and ended. */
export function homeAfter(work: (state: MachineState) => void): string {
  const home = temporaryFolder();
  const file = openForPoller(`${home}/machine.db`);
  work(file.state);
  file.close();
  return home;
}

/** The home of a machine that is polled until the test is over, and the memory of its poller. */
export function polledHome(): { readonly home: string; readonly state: MachineState } {
  const home = temporaryFolder();
  return { home, state: claimed(`${home}/machine.db`).state };
}

/** A decision as a poller logs it, on the module or the subsystem of this name. */
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

/** What the file says of a home: what runs of a module and what ran before, and what is in quarantine. */
export function rememberedIn(home: string, name = 'acme_lidar'): string[] {
  const file = openMachineFile(`${home}/machine.db`, { mode: 'read' });
  try {
    const state = machineStateIn(file);
    const entries = state.memory().quarantine.map(({ moduleId, version, rolledBack }) => {
      const whither = rolledBack ? ` rolled back to ${rolledBack.to?.text ?? 'nothing'}` : '';
      return `${moduleId} ${version}${whither}`;
    });
    return [running(state, targetNamed(name)), ...entries];
  } finally {
    file.close();
  }
}

/** Each file of a folder, to the byte; but for what readers of a SQLite file tell each other. */
export function contentsOf(folder: string): Record<string, string> {
  const files = readdirSync(folder, { withFileTypes: true }).filter((file) => file.isFile());
  const names = files.map(({ name }) => name).filter((name) => !name.endsWith('-shm'));
  return Object.fromEntries(
    names.toSorted().map((name) => [name, readFileSync(`${folder}/${name}`, 'base64')]),
  );
}
