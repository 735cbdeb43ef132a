import { DatabaseError } from '../../sqlite/database-error.ts';
import type { Catalogue } from './catalogue.ts';

/** How often the file is looked at. */
const LOOK_MS = 250;

/** The loss of a catalogue's file. */
export interface FileLoss {
  /** Resolves with the error when the file was replaced, removed, truncated or damaged. */
  readonly lost: Promise<DatabaseError>;
  readonly stop: () => void;
}

/** Watches the file of `catalogue`. Only its identity, its size and the page with its sequence are read. */
export function watchForLoss(catalogue: Catalogue): FileLoss {
  const { promise, resolve } = Promise.withResolvers<DatabaseError>();
  const timer = setInterval(() => {
    try {
      catalogue.sequence();
    } catch (error) {
      if (!(error instanceof DatabaseError)) throw error;
      // The other kinds end by themselves: a lock, a full disk.
      if (['missing', 'damaged', 'unreadable'].includes(error.kind)) resolve(error);
    }
  }, LOOK_MS);
  return { lost: promise, stop: () => clearInterval(timer) };
}
