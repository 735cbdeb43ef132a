import type { MachineMemory } from '../../src/core/plan/machine-memory.ts';

/** The memory of a machine on which nothing has happened, apart from its targets. */
export const BLANK_MEMORY: Omit<MachineMemory, 'of'> = {
  open: [],
  quarantine: [],
  holds: [],
  upgradeRequests: [],
  skippedFloors: [],
  roundRequests: [],
  held: [],
  starts: [],
  isBlank: true,
};
