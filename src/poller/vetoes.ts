import type { Machine } from '../core/machine/machine.ts';
import type { ModuleId } from '../core/releases/module-id.ts';
import type { Veto } from '../core/decision/timing-policies.ts';
import { describeValue, excerpt } from '../core/text/quote.ts';

/** The rest of a longer reason is not recorded. */
const LONGEST_REASON = 1024;

/** Checks the answer of an agent at run time. Throws a TypeError if it is not a list of vetoes. */
export function checkedVetoes(answer: unknown): Veto[] {
  if (!Array.isArray(answer)) {
    throw new TypeError(`vetoes(): found ${describeValue(answer)}, expected a list of vetoes`);
  }
  return answer.map((veto: unknown) => {
    const { by, said, isOverridable } = Object(veto) as { readonly [field: string]: unknown };
    if (typeof by !== 'string') {
      const expected = 'expected the name of a module entry';
      throw new TypeError(`vetoes(): found ${describeValue(by)} as by, ${expected}`);
    }
    const reason =
      typeof said === 'string' && said !== '' ? excerpt(said, LONGEST_REASON) : undefined;
    return { by, said: reason, isOverridable: isOverridable === true };
  });
}

/** The vetoes of a machine's entries, by their modules. */
export function byModule(
  vetoes: readonly Veto[],
  { modules }: Machine,
): ReadonlyMap<ModuleId, readonly Veto[]> {
  const byId = new Map<ModuleId, Veto[]>();
  for (const { name, moduleId } of modules) {
    const own = vetoes.filter(({ by }) => by === name);
    if (own.length > 0) byId.set(moduleId, [...(byId.get(moduleId) ?? []), ...own]);
  }
  return byId;
}
