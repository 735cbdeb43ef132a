import { decide, type DecideInput } from '../../../src/core/index.ts';
import { wordFor } from '../../../src/core/decision/decision.ts';
import { describeDecision } from '../../../src/core/explanation/decision-words.ts';
import { reasonOf } from '../../../src/core/explanation/reason.ts';
import { targetText, untilOf } from '../../../src/core/explanation/plan-words.ts';
import type { LoggedDecision } from '../../../src/core/plan/logged-decisions.ts';
import type { MachineState } from '../../../src/store/machine-state.ts';
import { moduleNamed } from '../../support/claimed.ts';
import { moduleQuestion, type Situation } from '../../support/decided.ts';
import { NOW } from '../../support/decides.ts';
import { logged } from '../../support/machine-home.ts';

export const HOUR = 3_600_000;
export const UPGRADE = { wanted: '1.*', deployed: '1.0.0', list: ['1.0.0', '1.1.0'] } as const;

/** Logs the decision about `name` at `at`. */
export function log(state: MachineState, at: number, situation: Situation, name = 'lidar'): void {
  const input = moduleQuestion({
    ...situation,
    eligibility: { ...situation.eligibility, now: at },
  });
  logInput(state, name, input);
}

export function logInput(
  state: MachineState,
  name: string,
  input: DecideInput,
  other: Partial<LoggedDecision> = {},
): void {
  const decision = decide(input);
  const row = logged(name, {
    moduleId: `acme:${name}`,
    constraint: '1.*',
    target: targetText(decision),
    decision: wordFor(decision),
    reason: describeDecision(decision),
    because: reasonOf(decision),
    until: untilOf(decision),
    ...other,
  });
  state.log([row], { at: 0, trouble: undefined }, new Map([[`module ${name}`, input]]));
}

/** Each decision: when it was made, when its facts changed last, its word and the deployed version. */
export function history(state: MachineState, name = 'lidar'): string[] {
  return state.history(moduleNamed(name)).map(({ since, first, last }) => {
    const { eligibility } = last.facts as DecideInput;
    const at = [since, eligibility.now].map((time) => (time - NOW) / HOUR).join(' to ');
    return `${at}: ${first.decision} ${first.deployed}`;
  });
}
