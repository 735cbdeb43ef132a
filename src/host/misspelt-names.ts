import type { Machine, UpdatePolicy } from '../config/index.ts';
import { nearestWord } from '../core/text/nearest-word.ts';
import { excerpt, quote } from '../core/text/quote.ts';
import type { Problem } from '../base/problem.ts';

/** A name in a policy that no entry of the machine has, and the one that was probably meant. */
interface MisspeltName {
  readonly name: string;
  readonly suggestion: string;
}

/**
 * The names in `modules` of a policy that are probably misspelt. One policy serves many machines, so a name that this one lacks is
 * a mistake only if it resembles one that it has (D242).
 */
export function misspeltNames(
  { modules }: Pick<Machine, 'modules'>,
  policy: UpdatePolicy,
): MisspeltName[] {
  const names = entryNames(modules);
  return [...policy.modules.keys()].flatMap((name) => {
    const suggestion = names.has(name) ? undefined : nearestWord(name, names);
    return suggestion === undefined ? [] : [{ name, suggestion }];
  });
}

/** The names that a policy and a report of deployed versions may have. */
export function entryNames(modules: Machine['modules']): ReadonlySet<string> {
  return new Set([...modules.map(({ name }) => name), 'platform-agent', 'platform-server']);
}

/** A warning for each misspelt name of the policy at `path`. */
export function misspeltNameWarnings(
  machine: Machine,
  policy: UpdatePolicy,
  path: string | undefined,
): Problem[] {
  return misspeltNames(machine, policy).map(({ name, suggestion }) =>
    unknownName(`the policy ${excerpt(path ?? '')} names ${quote(name)}`, suggestion),
  );
}

/** The warning that nothing on the machine has a name that was found. */
export function unknownName(found: string, suggestion: string | undefined): Problem {
  return {
    severity: 'warning',
    kind: 'unknown-reference',
    message: `${found}, which is not a module entry or a subsystem`,
    suggestion: suggestion && excerpt(suggestion),
  };
}
