import { existsSync } from 'node:fs';
import type { Result } from '../../core/index.ts';
import { asPageProblem, type PageProblem } from '../../page/page-problem.ts';
import type { Catalogue } from '../../server/catalogue/catalogue.ts';
import { FleetFile, fleetPath } from '../../server/fleet/fleet-file.ts';
import { IN_MEMORY } from '../../sqlite/database.ts';
import { DatabaseError } from '../../sqlite/database-error.ts';
import { databaseProblem } from '../../site/catalogue-options.ts';

/** The files of a registry: its releases, and what machines reported. */
export interface SiteFiles {
  readonly catalogue: Catalogue;
  /** What machines reported; nothing before the first report. Throws a DatabaseError. */
  readonly fleet: Pick<FleetFile, 'read' | 'readInSlices'>;
  readonly now: () => number;
  readonly close: () => void;
}

/** Opens the files beside a catalogue. The file of the reports is created by the server, not by its page. */
export function siteFiles(catalogue: Catalogue, now: () => number): SiteFiles {
  const path = fleetPath(catalogue.path);
  const nothing = new FleetFile(IN_MEMORY, now);
  const reported = new FleetFile(path, now, { mode: 'read' });
  const current = (): FleetFile => (existsSync(path) ? reported : nothing);
  return {
    catalogue,
    fleet: {
      read: (query) => current().read(query),
      readInSlices: async (query) => await current().readInSlices(query),
    },
    now,
    close() {
      nothing.close();
      reported.close();
    },
  };
}

const HINTS: Readonly<Partial<Record<DatabaseError['kind'], string>>> = {
  locked: 'another process uses the file: try again',
  unwritable: 'nothing was changed: make the file and its folder writable for the registry',
  missing: 'the registry was moved or removed: start it again',
  'later-schema': 'a later modreg wrote the file: update this one',
};

/** The result of `work`, or why the files cannot be used (T177). */
export function usingFiles<T>(work: () => Result<T, PageProblem[]>): Result<T, PageProblem[]> {
  try {
    return work();
  } catch (error) {
    return unusableFile(error);
  }
}

/** Why a file cannot be used. Throws an error that is no DatabaseError again. */
export function unusableFile(error: unknown): {
  readonly ok: false;
  readonly error: PageProblem[];
} {
  if (!(error instanceof DatabaseError)) throw error;
  const { code, message } = asPageProblem(databaseProblem(error));
  return refused(code, message, HINTS[error.kind]);
}

/** The refusal with one problem. */
export function refused(
  code: string,
  message: string,
  hint?: string,
): { readonly ok: false; readonly error: PageProblem[] } {
  return { ok: false, error: [{ code, message, hint }] };
}
