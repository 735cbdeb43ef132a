import { existsSync } from 'node:fs';
import type { Result } from '../core/index.ts';
import type { Problem } from '../base/problem.ts';
import { Catalogue } from '../server/catalogue/catalogue.ts';
import type { ReadableCatalogue } from '../server/catalogue/readable-catalogue.ts';
import type { SiteLines } from '../registry/site-logs.ts';
import { FleetFile, fleetPath } from '../server/fleet/fleet-file.ts';
import { storedLines } from '../server/logs/registry-logs.ts';
import type { LogSearch } from '../server/logs/search-records.ts';
import { IN_MEMORY } from '../sqlite/database.ts';

/** What a site was asked for, or why there is none. A file that cannot be used is thrown as a DatabaseError. */
export type Answer<T> = Result<T, Problem>;

/** The files of a registry: its releases, what machines reported, and their logs. */
export interface SiteFiles {
  readonly catalogue: ReadableCatalogue;
  /** The result of a change of the releases. */
  readonly change: <T>(work: (catalogue: Catalogue) => T) => T;
  /** What machines reported; nothing before the first report. Throws a DatabaseError. */
  readonly fleet: Pick<FleetFile, 'read' | 'readInSlices'>;
  /** What machines sent of their logs. Rejects with a DatabaseError. */
  readonly lines: (search: LogSearch) => Promise<SiteLines>;
  /** In milliseconds since the epoch. */
  readonly now: () => number;
  readonly close: () => void;
}

/**
 * Opens the files beside a catalogue. The catalogue is opened to write only for a change, which waits up to `busyTimeoutMs` for another
 * process. The file of the reports is created by the server.
 */
export function siteFiles(
  catalogue: ReadableCatalogue,
  { now, busyTimeoutMs }: { readonly now: () => number; readonly busyTimeoutMs: number },
): SiteFiles {
  const path = fleetPath(catalogue.path);
  const nothing = new FleetFile(IN_MEMORY, now);
  const reported = new FleetFile(path, now, { mode: 'read' });
  const current = (): FleetFile => (existsSync(path) ? reported : nothing);
  return {
    catalogue,
    change(work) {
      // Throws if another file is at the path now: what was read is not what would be changed (T311).
      catalogue.sequence();
      const changed = new Catalogue(catalogue.path, { busyTimeoutMs });
      try {
        return work(changed);
      } finally {
        changed.close();
      }
    },
    fleet: {
      read: (query) => current().read(query),
      readInSlices: async (query) => await current().readInSlices(query),
    },
    lines: async (search) => await storedLines(catalogue.path, search),
    now,
    close() {
      nothing.close();
      reported.close();
    },
  };
}

/** The answer that a site does not have what was named. */
export function unknownReference(message: string, hint?: string): Answer<never> {
  return { ok: false, error: { severity: 'error', kind: 'unknown-reference', message, hint } };
}
