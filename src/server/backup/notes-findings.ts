import * as v from 'valibot';
import { excerpt } from '../../core/text/quote.ts';
import type { Statements } from '../../sqlite/statements.ts';
import { notesText } from '../catalogue/release-notes.ts';

/** The notes of releases that no publication could have added (D408), each as a line. */
export function* notesFindings(sql: Statements): Generator<string> {
  const rows = sql.iterate(
    `SELECT namespace, name, version, notes FROM release_notes
      JOIN releases ON releases.id = release_notes.release
      JOIN modules ON modules.id = releases.module
      ORDER BY namespace, name, releases.id`,
  );
  for (const { namespace, name, version, notes } of rows) {
    const read = v.safeParse(notesText, notes);
    if (read.success) continue;
    const where = excerpt(`${String(namespace)}:${String(name)} ${String(version)}`);
    yield `the notes of ${where}: ${read.issues[0].message}`;
  }
}
