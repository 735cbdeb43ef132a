import type { ActionTarget } from '../../src/core/index.ts';
import { deployedText } from '../../src/core/decision/deployed.ts';
import type { MachineFile } from '../../src/store/index.ts';
import { machineStateIn } from '../../src/store/machine-state.ts';
import { moduleId } from '../support/ask.ts';

export const MODULES = ['lidar', 'arm', 'base'] as const;

type Versions = Readonly<Record<(typeof MODULES)[number], string>>;

/** What runs before the agent starts for the first time. */
export const BEFORE: Versions = { lidar: '1.2.3', arm: '1.0.0', base: '1.0.0' };
/** The newest releases. Those of the arm does not work. */
export const NEWEST: Versions = { lidar: '1.2.9', arm: '1.1.0', base: '1.1.0' };
/** What runs once nothing is left to do. */
export const AFTER: Versions = { ...NEWEST, arm: BEFORE.arm };

export function targetOf(name: string): ActionTarget {
  return { kind: 'module', name, moduleId: moduleId(`acme:${name}`) };
}

/** Exit code of an agent that cannot open machine.db. */
export const NOT_OPENED = 70;
/** Exit code of an agent that could not use machine.db for too long. */
export const GAVE_UP = 75;

/** The deployed versions and the number of open actions in the file: `lidar 1.2.9, arm 1.0.0, base 1.1.0, 0 open`. */
export function described(file: Pick<MachineFile, 'path' | 'database' | 'sql'>): string {
  const memory = machineStateIn(file as MachineFile).memory();
  const versions = MODULES.map((name) => {
    const { deployed } = memory.of(targetOf(name));
    return `${name} ${deployedText(deployed) ?? deployed.kind}`;
  });
  return [...versions, `${memory.open.length} open`].join(', ');
}

export const SETTLED: string = [...MODULES.map((name) => `${name} ${AFTER[name]}`), '0 open'].join(
  ', ',
);

export function isSettled(file: MachineFile): boolean {
  return described(file) === SETTLED;
}
