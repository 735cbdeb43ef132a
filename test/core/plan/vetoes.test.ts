import { expect, it } from 'vitest';
import { describeDecision, planMachine, type PlanInput } from '../../../src/core/index.ts';
import { stoppedBy } from '../../../src/core/plan/plan-input.ts';
import { moduleId } from '../../support/ask.ts';
import { component, entry, known, machineQuestion } from '../../support/planned.ts';

const NAMES = ['lidar', 'map', 'arm'] as const;
type Name = (typeof NAMES)[number];

/** A machine whose map depends on its lidar; each of `due` has a newer release. */
function question(due: readonly Name[]): PlanInput {
  const machine = {
    components: [component('scan', 'acme:lidar:x'), component('floor', 'acme:map:x', 'scan')],
    modules: NAMES.map((name) => entry(`acme:${name}`, '1.*', name)),
  };
  const states = NAMES.map((name) => {
    const versions = due.includes(name) ? ['1.0.0', '1.1.0'] : ['1.0.0'];
    return [
      name,
      known(
        '1.0.0',
        versions.map((version) => ({ version })),
      ),
    ] as const;
  });
  return machineQuestion(machine, Object.fromEntries(states));
}

it.each<[readonly Name[], readonly Name[]]>([
  [['lidar'], ['lidar', 'map']],
  [['map'], ['map']],
  [['arm'], ['arm']],
  [
    ['lidar', 'arm'],
    ['lidar', 'map', 'arm'],
  ],
  [[], []],
])('[D77] for the upgrade of %j, %j stop and are asked', (due, expected) => {
  const input = question(due);
  expect(stoppedBy(planMachine(input), input.machine)).toEqual(expected);
});

it.each<[Name, readonly Name[]]>([
  ['map', ['lidar', 'map']],
  ['lidar', ['lidar']],
  ['arm', ['arm']],
])('[D77] a veto of the %s holds the upgrades of %j', (by, expected) => {
  const veto = { by, said: 'docking', isOverridable: false };
  const vetoes = new Map([[moduleId(`acme:${by}`), [veto]]]);
  const { modules } = planMachine({ ...question(NAMES), vetoes });
  const held = modules.filter(({ decision }) => decision.kind === 'hold');
  expect(held.map(({ name }) => name)).toEqual(expected);
  const words = held.map(({ decision }) => describeDecision(decision));
  expect(new Set(words)).toEqual(new Set([`${by} must not be stopped now: docking`]));
});
