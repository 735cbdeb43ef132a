export { DatabaseError, type DatabaseErrorKind } from '../sqlite/database-error.ts';
export { openForPoller, type ClaimedFile } from './claim.ts';
export type {
  CommittedAction,
  NewAction,
  OpenAction,
  ActionOutcome,
  SharedRestart,
} from './committed-action.ts';
export type { LoggedDecision, LoggedRound, PollerLog } from './decision-log.ts';
export { openMachineFile, type MachineFile } from './machine-file.ts';
export {
  machineStateIn,
  type AcknowledgementTerms,
  type MachineMemory,
  type MachineState,
  type Remembered,
} from './machine-state.ts';
export type { QuarantineEntry } from './quarantine.ts';
export { savedListsIn } from './saved-lists-table.ts';
