import { DEPLOYED } from '../decision/deployed.ts';
import { wrongArgument } from '../text/argument.ts';
import { quote } from '../text/quote.ts';

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

function isModuleList(list: unknown): boolean {
  const { index, error } = Object(list) as { readonly index?: unknown; readonly error?: unknown };
  return error !== undefined || typeof Object(index).candidates === 'function';
}
