import * as v from 'valibot';
import type { ModuleId, Result } from '../../core/index.ts';
import type { Statements } from '../../sqlite/statements.ts';
import type { YankResult } from './catalogue-results.ts';
import { moduleIn, releaseIn, touch } from './module-row.ts';
import type { ReleaseErrors } from './published-release.ts';
import { describe, shape } from './schema-errors.ts';

/** The largest release notes, in bytes of UTF-8. */
export const MOST_NOTES_BYTES: number = 64 * 1024;

/** The result of adding notes to a release. `other-notes`: it has others, which stay. */
export type NotesResult = YankResult | 'other-notes';

/** What a terminal would act on, or SQLite and JSON would change: control characters but tabs and line breaks. */
const CONTROL = /[^\P{Cc}\t\n\r]/u;

/** Notes of a release as their author wrote them: Markdown, which nothing interprets. */
export const notesText: v.GenericSchema<string> = v.pipe(
  v.string('expected text'),
  v.check((text) => text.trim() !== '', 'expected text that is not empty'),
  v.check(
    (text) => Buffer.byteLength(text) <= MOST_NOTES_BYTES,
    ({ input }) => `has ${Buffer.byteLength(input)} bytes, expected at most ${MOST_NOTES_BYTES}`,
  ),
  v.check((text) => text.isWellFormed(), 'expected text that UTF-8 can write'),
  v.check((text) => !CONTROL.test(text), 'expected no control characters but tabs and line breaks'),
);

/** The body of a request that adds notes. */
export const notesBody = v.strictObject({ notes: notesText }, shape('release notes', 'notes'));

/** Validates such a body. */
export function readNotesBody(json: unknown): Result<string, ReleaseErrors> {
  const read = v.safeParse(notesBody, json);
  if (read.success) return { ok: true, value: read.output.notes };
  return { ok: false, error: read.issues.map(describe) };
}

/** Adds notes to a release that has none. Its list says only that there are some (D379). The caller has a transaction. */
export function addNotes(
  sql: Statements,
  { moduleId, version }: { readonly moduleId: ModuleId; readonly version: string },
  notes: string,
): NotesResult {
  const module = moduleIn(sql, moduleId);
  if (!module) return 'unknown-module';
  const release = releaseIn(sql, module, version);
  if (!release) return 'unknown-version';
  const { changes } = sql.run(
    'INSERT INTO release_notes (release, notes) VALUES (?, ?) ON CONFLICT DO NOTHING',
    release.id,
    notes,
  );
  if (changes > 0) {
    touch(sql, module.id);
    return 'done';
  }
  return notesOf(sql, release.id) === notes ? 'unchanged' : 'other-notes';
}

/** The notes of releases. They never change. */
export interface CatalogueNotes {
  /** Null if the release has none, undefined if it is not published. */
  readonly of: (moduleId: ModuleId, version: string) => string | null | undefined;
}

export function catalogueNotes(sql: Statements): CatalogueNotes {
  return {
    of(moduleId, version) {
      const module = moduleIn(sql, moduleId);
      const release = module && releaseIn(sql, module, version);
      return release && notesOf(sql, release.id);
    },
  };
}

function notesOf(sql: Statements, release: number): string | null {
  const row = sql.get('SELECT notes FROM release_notes WHERE release = ?', release);
  return row ? String(row['notes']) : null;
}
