export { DatabaseError } from '../sqlite/database-error.ts';
export { openForPoller, type ClaimedFile } from './claim.ts';
export type { ActionOutcome, CommittedAction } from '../core/plan/committed-action.ts';
export { openMachineFile, type MachineFile } from './machine-file.ts';
export { savedListsIn } from './saved-lists-table.ts';
export { targetsIn, type MachineTarget } from './targets.ts';
