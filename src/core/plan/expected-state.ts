import { DEPLOYED } from '../decision/deployed.ts';
import { wrongArgument } from '../text/argument.ts';
import { quote } from '../text/quote.ts';
import { expectSpelling, type Members } from '../text/spelling.ts';
import type { ModuleState } from './plan-state.ts';

const MEMBERS: Members<ModuleState> = {
  list: true,
  deployed: true,
  previous: true,
  failed: true,
  restarts: true,
  quarantine: true,
  restartRequest: true,
  upgradeRequest: true,
  skippedFloors: true,
  holds: true,
  held: true,
};

/**
 * Throws a TypeError unless the state of a target, which no compiler checked, has a list and a deployed version: text would be
 * planned as another version.
 */
export function expectState(
  name: string,
  state: { readonly list: unknown; readonly deployed: unknown },
): void {
  const { list, deployed } = state;
  if (!isModuleList(list)) {
    const expected = 'a ModuleList: { index } of indexReleases(), or { error }';
    throw wrongArgument('planMachine()', `list of ${quote(name)}`, list, expected);
  }
  if (DEPLOYED.is(deployed)) return;
  throw wrongArgument('planMachine()', `deployed of ${quote(name)}`, deployed, DEPLOYED.words);
}

/**
 * Throws a TypeError for a misspelt name in the first of the states (D313). States of one machine are mostly alike: to check those of
 * 200 modules took 2 % of a plan.
 */
export function expectStateNames(states: ReadonlyMap<string, ModuleState>): void {
  for (const [name, state] of states) {
    if (typeof state !== 'object') return;
    return expectSpelling('planMachine()', `the state of ${quote(name)}`, state, MEMBERS);
  }
}

function isModuleList(list: unknown): boolean {
  const { index, error } = Object(list) as { readonly index?: unknown; readonly error?: unknown };
  return error !== undefined || typeof Object(index).candidates === 'function';
}
