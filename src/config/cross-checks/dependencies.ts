import { nearestWord } from '../../core/text/nearest-word.ts';
import { excerpt } from '../../core/text/quote.ts';
import type { Finding } from '../fault.ts';
import { isName } from '../fields/name.ts';
import type { ComponentOutline, MachineOutline } from './outline.ts';

/** A component on the way from a root, and which of its dependencies comes next. */
interface Step {
  readonly component: number;
  next: number;
}

/** Of a longer cycle, so many names are shown at each end. */
const SHOWN = 5;

/** `depends_on` that names nothing, itself, or a component that depends on this one. */
export function dependencyFindings({ components }: MachineOutline): Finding[] {
  const byName = new Map(components.map(({ name }, index) => [name, index]));
  return [...unknownNames(components, byName), ...cycles(components, byName)];
}

function unknownNames(
  components: readonly ComponentOutline[],
  byName: ReadonlyMap<string, number>,
): Finding[] {
  // A component without a readable name may be the one.
  if (byName.has('')) return [];
  return components.flatMap(({ depends_on }, index) =>
    depends_on.flatMap((name, place): Finding[] => {
      if (byName.has(name) || !isName(name)) return [];
      const path = ['components', index, 'depends_on', place];
      const message = `no component is named ${excerpt(name)}`;
      const suggest = (): string | undefined => nearestWord(name, byName.keys());
      return [{ kind: 'unknown-reference', path, message, suggest }];
    }),
  );
}

/** One finding for each dependency that closes a cycle, where the components are walked in order. */
function cycles(
  components: readonly ComponentOutline[],
  byName: ReadonlyMap<string, number>,
): Finding[] {
  const findings: Finding[] = [];
  const done = new Set<number>();
  for (const root of components.keys()) {
    // Where on the way each component stands.
    const places = new Map<number, number>();
    const way: Step[] = [];
    const enter = (component: number): void => {
      places.set(component, way.length);
      way.push({ component, next: 0 });
    };
    if (!done.has(root)) enter(root);
    for (let step = way.at(-1); step; step = way.at(-1)) {
      const place = step.next++;
      const name = components[step.component]?.depends_on[place];
      const target = name === undefined ? undefined : byName.get(name);
      const closes = target === undefined ? undefined : places.get(target);
      if (name === undefined) {
        done.add(step.component);
        places.delete(step.component);
        way.pop();
      } else if (closes !== undefined) {
        const path = ['components', step.component, 'depends_on', place];
        const nameAt = (at: number): string => components[way[at]?.component ?? -1]?.name ?? '';
        findings.push({ kind: 'cycle', path, message: describeCycle(closes, way.length, nameAt) });
      } else if (target !== undefined && !done.has(target)) {
        enter(target);
      }
    }
  }
  return findings;
}

/** The names from `start` to `end`, and the first once more; of a long cycle its two ends. */
function describeCycle(start: number, end: number, nameAt: (at: number) => string): string {
  const first = excerpt(nameAt(start));
  if (end - start === 1) return `${first} depends on itself`;
  const hidden = end - start - 2 * SHOWN;
  const head = hidden > 0 ? start + SHOWN : end;
  const names: string[] = [];
  for (let at = start; at < head; at++) names.push(excerpt(nameAt(at)));
  if (hidden > 0) names.push(`… ${hidden} more …`);
  for (let at = head + Math.max(hidden, 0); at < end; at++) names.push(excerpt(nameAt(at)));
  return `a cycle: ${[...names, first].join(' → ')}`;
}
