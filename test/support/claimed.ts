import { onTestFinished } from 'vitest';
import type { ActionTarget } from '../../src/core/index.ts';
import { deployedText } from '../../src/core/decision/deployed.ts';
import {
  openForPoller,
  DatabaseError,
  type ClaimedFile,
  type CommittedAction,
} from '../../src/store/index.ts';
import type { NewAction } from '../../src/core/plan/committed-action.ts';
import { openDatabase } from '../../src/sqlite/database.ts';
import { LAYOUT } from '../../src/store/machine-layout.ts';
import type { MachineState } from '../../src/store/machine-state.ts';
import { moduleId } from './ask.ts';
import { temporaryFolder } from './folder.ts';

export const LIDAR: ActionTarget = moduleNamed('lidar');
export const ARM: ActionTarget = moduleNamed('arm');
export const AGENT: ActionTarget = { kind: 'subsystem', name: 'platform-agent' };

/** The target of a module entry; its module_id is `acme:<name>` by default. */
export function moduleNamed(name: string, id = `acme:${name}`): ActionTarget {
  return { kind: 'module', name, moduleId: moduleId(id) };
}

/** A machine.db that is claimed by a poller until the end of the test. */
export function claimed(path = `${temporaryFolder()}/machine.db`): ClaimedFile {
  const file = openForPoller(path);
  onTestFinished(() => file.close());
  return file;
}

/** A start of a modreg whose layout has no `table` yet, with a file that has it. */
export function startedWithout(table: string, path: string): void {
  const added = LAYOUT.migrations.findIndex((sql) => sql.includes(`TABLE ${table}`));
  const earlier = { ...LAYOUT, migrations: LAYOUT.migrations.slice(0, added) };
  const database = openDatabase(path, earlier, { mode: 'write', busyTimeoutMs: 0 });
  database.exec('INSERT INTO starts (at, checksum) VALUES (7, row_checksum(1, 7))');
  database.close();
}

/** An upgrade of the lidar from 1.0.0 to 1.1.0, with the fields in `more` replaced. */
export function upgrade(more: Partial<NewAction> = {}): NewAction {
  return {
    kind: 'restart-and-upgrade',
    target: LIDAR,
    from: '1.0.0',
    to: '1.1.0',
    artifact: { platform: 'any', digest: 'sha256:aa' },
    direction: 'upgrade',
    stops: [{ component: 'scanner', dependsOn: [] }],
    reason: { kind: 'constraint', constraint: '1.*', text: 'newest minor of 1' },
    decidedAt: 1,
    restart: { of: 'modules', targets: ['lidar'], stops: [] },
    ...more,
  };
}

export function commitOne(state: MachineState, more: Partial<NewAction> = {}): CommittedAction {
  const [action] = state.commit([upgrade(more)], [], 1);
  if (!action) throw new Error('nothing was committed');
  return action;
}

/** The deployed and the previous version: `1.1.0 after 1.0.0`. */
export function running(state: MachineState, target: ActionTarget = LIDAR): string {
  const { deployed, previous } = state.memory().of(target);
  return `${deployedText(deployed) ?? deployed.kind} after ${previous?.text ?? 'nothing'}`;
}

/** The kind and the message of the DatabaseError that `work` throws; otherwise its result or its error. */
export function caught(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error instanceof DatabaseError ? [error.kind, error.message] : error;
  }
}
