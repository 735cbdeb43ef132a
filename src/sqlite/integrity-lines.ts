const HEADING = /^\*\*\* in database \w+ \*\*\*$/;

/** What a row of SQLite's `integrity_check` or `quick_check` says, without a heading that names the database. */
export function integrityLines(row: string): string[] {
  return row.split('\n').filter((line) => !HEADING.test(line));
}
