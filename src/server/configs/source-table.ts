import type { Statements } from '../../sqlite/statements.ts';

/** What a machine has of its own (D329), and the names of the fragments that its documents use, in their order. */
export interface ConfigSource {
  readonly config: string;
  readonly policy: string | undefined;
  readonly fragments: readonly string[];
}

/** A revision of a fragment. */
export interface FragmentRevision {
  readonly name: string;
  readonly revision: number;
}

/** Whether no later revision of one of them was saved. */
export function areNewest(sql: Statements, fragments: readonly FragmentRevision[]): boolean {
  return fragments.every(({ name, revision }) => {
    const row = sql.get(
      'SELECT max(revision) AS newest FROM config_fragments WHERE name = ?',
      name,
    );
    return Number(row?.['newest'] ?? 0) === revision;
  });
}

/** Undefined for a revision that uses no fragments. */
export function sourceOf(
  sql: Statements,
  machine: string,
  revision: number,
): ConfigSource | undefined {
  const row = sql.get(
    'SELECT * FROM config_sources WHERE machine = ? AND revision = ?',
    machine,
    revision,
  );
  if (!row) return undefined;
  return {
    config: String(row['config']),
    policy: row['policy'] === null ? undefined : String(row['policy']),
    // Cast: only this file writes them.
    fragments: JSON.parse(String(row['fragments'])) as string[],
  };
}

/** Stores what a revision was made from; nothing if it uses no fragments. Whether it was made from something else before. */
export function writeSource(
  sql: Statements,
  { machine, revision }: { readonly machine: string; readonly revision: number },
  source: ConfigSource | undefined,
): boolean {
  const before = sourceOf(sql, machine, revision);
  sql.run('DELETE FROM config_sources WHERE machine = ? AND revision = ?', machine, revision);
  if (!source) return before !== undefined;
  sql.run(
    'INSERT INTO config_sources VALUES (?, ?, ?, ?, ?)',
    machine,
    revision,
    JSON.stringify(source.fragments),
    source.config,
    source.policy ?? null,
  );
  return partsOf(before) !== partsOf(source);
}

/** The same text for the same parts. */
function partsOf(source: ConfigSource | undefined): string {
  return JSON.stringify([source?.config, source?.policy, source?.fragments]);
}

/** Forgets those of revisions that are gone. */
export function pruneSources(sql: Statements, machine: string): void {
  sql.run(
    `DELETE FROM config_sources WHERE machine = ?1 AND revision NOT IN
      (SELECT revision FROM machine_configs WHERE machine = ?1)`,
    machine,
  );
}
