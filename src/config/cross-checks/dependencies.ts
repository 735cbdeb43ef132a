import { nearestWord } from '../../core/text/nearest-word.ts';
import { excerpt } from '../../core/text/quote.ts';
import type { Finding } from '../fault.ts';
import { isName } from '../text/name.ts';
import type { ComponentOutline, MachineOutline } from './outline.ts';

/** A component on the stack of the depth-first walk, and the index of its next dependency. */
interface Step {
  readonly component: number;
  next: number;
}

/** The number of names shown at each end of a long cycle. */
const SHOWN = 5;

/** Entries of `depends_on` that name no component or close a dependency cycle. */
export function dependencyFindings({ components }: MachineOutline): Finding[] {
  const byName = new Map(components.map(({ name }, index) => [name, index]));
  return [...unknownNames(components, byName), ...cycles(components, byName)];
}

function unknownNames(
  components: readonly ComponentOutline[],
  byName: ReadonlyMap<string, number>,
): Finding[] {
  // The component that is meant may be one whose name could not be read.
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

/** One finding for each dependency that closes a cycle, in a walk in document order. */
function cycles(
  components: readonly ComponentOutline[],
  byName: ReadonlyMap<string, number>,
): Finding[] {
  const findings: Finding[] = [];
  const done = new Set<number>();
  for (const root of components.keys()) {
    const depths = new Map<number, number>();
    const stack: Step[] = [];
    const enter = (component: number): void => {
      depths.set(component, stack.length);
      stack.push({ component, next: 0 });
    };
    if (!done.has(root)) enter(root);
    for (let step = stack.at(-1); step; step = stack.at(-1)) {
      const place = step.next++;
      const name = components[step.component]?.depends_on[place];
      const target = name === undefined ? undefined : byName.get(name);
      const closes = target === undefined ? undefined : depths.get(target);
      if (name === undefined) {
        done.add(step.component);
        depths.delete(step.component);
        stack.pop();
      } else if (closes !== undefined) {
        const path = ['components', step.component, 'depends_on', place];
        const nameAt = (at: number): string => components[stack[at]?.component ?? -1]?.name ?? '';
        const message = describeCycle(closes, stack.length, nameAt);
        findings.push({ kind: 'cycle', path, message });
      } else if (target !== undefined && !done.has(target)) {
        enter(target);
      }
    }
  }
  return findings;
}

/** The names from `start` to `end`, then the first again. The middle of a long cycle is omitted. */
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
