import { join } from 'node:path';
import type { Result } from '../../core/index.ts';
import { platformHome } from '../../config/platform-home.ts';
import { DatabaseError } from '../../sqlite/database-error.ts';
import type { Opening } from '../../sqlite/database.ts';
import { openMachineFile } from '../../store/machine-file.ts';
import { machineStateIn, type MachineState } from '../../store/machine-state.ts';
import { STATE_ERRORS } from '../../store/saved-lists-table.ts';
import { failed } from '../registry/catalogue-options.ts';
import type { Outcome, Problem } from '../problem.ts';
import type { World } from '../world.ts';

const COMMAND_BUSY_TIMEOUT_MS = 1000;

const NO_STATE =
  'an agent that polls with modreg makes it; PLATFORM_HOME, or else HOME, says where it is';

/** What `work` makes of the state of this machine, which must be there. */
export function withState(
  world: World,
  mode: Exclude<Opening['mode'], 'create'>,
  work: (state: MachineState) => Outcome,
): Outcome {
  const done = usingState(world, mode, work);
  return done.ok ? done.value : failed(done.error);
}

/** The same, for any kind of answer. */
export function usingState<T>(
  { environment }: World,
  mode: Exclude<Opening['mode'], 'create'>,
  work: (state: MachineState) => T,
): Result<T, Problem & { readonly isMissing: boolean }> {
  const home = platformHome(environment);
  if (home === undefined) {
    const message = 'neither PLATFORM_HOME nor HOME says where the state of this machine is';
    return { ok: false, error: { severity: 'error', kind: 'usage', message, isMissing: true } };
  }
  try {
    const file = openMachineFile(join(home, 'machine.db'), {
      mode,
      patienceMs: COMMAND_BUSY_TIMEOUT_MS,
    });
    try {
      return { ok: true, value: work(machineStateIn(file)) };
    } finally {
      file.close();
    }
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    const isMissing = error.kind === 'missing';
    const hint = isMissing ? NO_STATE : undefined;
    const { message } = error;
    const kind = STATE_ERRORS[error.kind];
    return { ok: false, error: { severity: 'error', kind, message, hint, isMissing } };
  }
}
