import type { Blackout } from '../../core/decision/timing-policies.ts';
import type { UpdatePolicy, UpdateTerms } from '../../core/machine/update-policy.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import type { Path } from '../../core/text/json-pointer.ts';
import type { Finding } from '../fault.ts';

/** Blackouts that hold nothing from `now` on: they have ended, or no maintenance window is open in them (D74). */
export function idleBlackouts({ terms, modules }: UpdatePolicy, now: number): Finding[] {
  const owners: (readonly [Path, UpdateTerms])[] = [
    [[], terms],
    ...Array.from(modules, ([name, own]) => [['modules', name], own] as const),
  ];
  // A module without a list of its own has the general one.
  const lists = Map.groupBy(owners, ([, { blackouts }]) => blackouts);
  return Array.from(lists).flatMap(([blackouts = [], users]) => {
    const [[path] = [[]]] = users;
    const windows = new Set(users.map(([, { window }]) => window));
    return blackouts.flatMap((one, place): Finding[] => {
      const message = idleness(one, windows, now);
      if (message === undefined) return [];
      return [{ kind: 'idle-blackout', path: [...path, 'blackout', place], message }];
    });
  });
}

function idleness(
  { from, until }: Blackout,
  windows: ReadonlySet<UpdateTerms['window']>,
  now: number,
): string | undefined {
  if (until <= now) return `it ended at ${formatTime(until)} and holds nothing any more`;
  const isOpen = (window: UpdateTerms['window']): boolean =>
    !window ||
    window.openSince(from) !== undefined ||
    (window.nextOpening(from) ?? Infinity) < until;
  if ([...windows].some(isOpen)) return undefined;
  return 'it holds nothing: no maintenance window is open between its begin and its end';
}
