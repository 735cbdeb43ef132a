export { DatabaseError, type DatabaseErrorKind } from '../sqlite/database-error.ts';
export { openMachineFile, type MachineFile } from './machine-file.ts';
export { savedListsIn } from './saved-lists.ts';
