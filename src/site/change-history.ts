import type {
  RecordedChange,
  ShownUpTo,
  WantedChanges,
} from '../server/configs/recorded-changes.ts';
import type { Answer, SiteFiles } from './site-files.ts';

export { CHANGED } from '../server/configs/recorded-changes.ts';

/** A part of the changes of a site, the newest first. */
export interface ChangePage {
  readonly changes: readonly RecordedChange[];
  /** Where the next part begins; undefined if this is the last one. */
  readonly next: ShownUpTo | undefined;
}

/** What was changed on a site, by whom and why (D324). */
export interface SiteChanges {
  changes(wanted: Omit<WantedChanges, 'limit'>): Answer<ChangePage>;
}

const CHANGES_OF_PAGE = 100;

export function changesOf({ catalogue }: SiteFiles): SiteChanges {
  return {
    changes(wanted) {
      const found = catalogue.configs.changed({ ...wanted, limit: CHANGES_OF_PAGE + 1 });
      const changes = found.slice(0, CHANGES_OF_PAGE);
      if (found.length === changes.length) return { ok: true, value: { changes, next: undefined } };
      // The last one of each kind is the lowest.
      const shown = Object.fromEntries(changes.map(({ thing, place }) => [thing.kind, place]));
      return { ok: true, value: { changes, next: { ...wanted.before, ...shown } } };
    },
  };
}
