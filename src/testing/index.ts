export { CATALOGUES, type Releases } from './catalogues.ts';
export type { Fault } from './fault.ts';
export { testMachine, type TestMachine } from './test-machine.ts';
export type { TestMachineOptions } from './test-machine-options.ts';
export { testRegistry, type TestRegistry } from './test-registry.ts';
export { virtualClock, type VirtualClock } from './virtual-clock.ts';
