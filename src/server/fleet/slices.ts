import type { DatabaseSync } from 'node:sqlite';
import { translated } from '../../sqlite/database.ts';

/**
 * A computation that yields after each part of a few milliseconds, so that a server can answer others in between. It returns the same
 * whether it is interrupted or not.
 */
export type Slices<T> = Generator<undefined, T>;

/** How many items are visited in a slice: 100,000 rows of a fleet take a second. */
const SLICE = 500;

/** Visits all items. */
export function* eachInSlices<T>(items: Iterable<T>, visit: (item: T) => void): Slices<void> {
  let count = 0;
  for (const item of items) {
    visit(item);
    if (++count % SLICE === 0) yield;
  }
}

/**
 * The result of a computation on a snapshot of the file at `path`. Between its slices, other requests are answered. Rejects with a
 * DatabaseError.
 */
export async function onSnapshot<T>(
  { database, path }: { readonly database: DatabaseSync; readonly path: string },
  query: () => Slices<T>,
): Promise<T> {
  translated(path, () => database.exec('BEGIN'));
  try {
    return await inTurns(query());
  } finally {
    if (database.isOpen && database.isTransaction) database.exec('ROLLBACK');
  }
}

/** The result of a computation. Between its slices, other requests are answered. */
export async function inTurns<T>(slices: Slices<T>): Promise<T> {
  for (;;) {
    const next = slices.next();
    if (next.done === true) return next.value;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** The result of a computation that nothing interrupts. */
export function uninterrupted<T>(slices: Slices<T>): T {
  for (;;) {
    const next = slices.next();
    if (next.done === true) return next.value;
  }
}
