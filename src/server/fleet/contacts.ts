import type { Clock } from '../../registry/clock.ts';
import { unlessUnusable } from '../../sqlite/database-error.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { machineIn } from '../tokens/scope.ts';
import { lapseOf } from '../tokens/token.ts';
import type { FleetFile } from './fleet-file.ts';

/** A contact of a machine is looked up and written once in so long. */
const EVERY_MS = 60_000;
/** Contacts of so long share a transaction. */
const GATHER_MS = 1000;
/** More machines than a server serves. */
const MOST_KNOWN = 200_000;

/** Notes who sends a request, by its header `authorization`. */
export type NoteContact = (authorization: string | undefined) => void;

/**
 * Records when machines are heard by requests that they make anyway (D186). Most requests cost a look into a map: the token is checked, and the
 * contact written, once a minute of elapsed time, which no jump of the clock changes. Never throws because a file cannot be used.
 */
export function contactNotes(
  catalogue: Pick<Catalogue, 'tokenWith'>,
  fleet: Pick<FleetFile, 'noteContacts'>,
  clock: Pick<Clock, 'now' | 'monotonic'>,
): NoteContact {
  /** When the token of a header was last looked up, the longest ago first. */
  const known = new Map<string, number>();
  let waiting: string[] = [];
  const flush = (): void => {
    const machines = waiting;
    waiting = [];
    unlessUnusable(() => fleet.noteContacts(machines));
  };
  return (authorization) => {
    if (authorization === undefined) return;
    const now = clock.monotonic();
    const last = known.get(authorization);
    if (last !== undefined && now - last < EVERY_MS) return;
    const [, text] = /^Bearer +(\S+)$/i.exec(authorization) ?? [];
    const token = unlessUnusable(() =>
      text === undefined ? undefined : catalogue.tokenWith(text),
    );
    known.delete(authorization);
    // A token that this registry did not create takes no space.
    if (!token || lapseOf(token, clock.now())) return;
    known.set(authorization, now);
    const [oldest] = known.keys();
    if (known.size > MOST_KNOWN && oldest !== undefined) known.delete(oldest);
    const machine = machineIn(token.scopes);
    if (machine === undefined) return;
    if (waiting.push(machine) === 1) setTimeout(flush, GATHER_MS).unref();
  };
}
