export { DatabaseError, type DatabaseErrorKind } from '../sqlite/database-error.ts';
export { openForPoller, type ClaimedFile } from './claim.ts';
export type {
  CommittedAction,
  NewAction,
  OpenAction,
  ActionOutcome,
  SharedRestart,
} from '../core/plan/committed-action.ts';
export type { LoggedDecision } from '../core/plan/logged-decisions.ts';
export type { MachineMemory, QuarantineEntry, Remembered } from '../core/plan/machine-memory.ts';
export type { LoggedRound, PollerLog } from './decision-log.ts';
export { openMachineFile, type MachineFile } from './machine-file.ts';
export { machineStateIn, type AcknowledgementTerms, type MachineState } from './machine-state.ts';
export { savedListsIn } from './saved-lists-table.ts';
