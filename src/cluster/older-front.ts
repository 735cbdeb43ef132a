import type { Clock } from '../registry/clock.ts';
import { SCHEMA } from './event.ts';
import { frontWords, type SeenFront } from './front-name.ts';

/** How long what was found counts. A publication must not ask all nodes again. */
const KNOWN_MS = 10_000;

/** Why an event with a schema must not be appended: a front that follows cannot read it. Undefined if all that are known can. */
export type OlderFront = (schema: number) => Promise<string | undefined>;

/** Looks at the fronts that `fronts` finds (D205). */
export function olderFrontIn(
  fronts: () => Promise<readonly SeenFront[]>,
  clock: Pick<Clock, 'monotonic'>,
): OlderFront {
  let found: { readonly at: number; readonly fronts: readonly SeenFront[] } | undefined;
  return async (schema) => {
    if (schema === SCHEMA) return undefined;
    if (!found || clock.monotonic() - found.at > KNOWN_MS) {
      found = { at: clock.monotonic(), fronts: await fronts() };
    }
    const older = found.fronts.find(({ reads }) => reads < schema);
    if (!older) return undefined;
    found = undefined;
    return `the front at ${older.at} has ${frontWords(older)}, and this change needs schema ${schema}: upgrade modreg there first`;
  };
}
