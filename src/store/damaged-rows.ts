import { LONGEST_HOLD_MS } from '../core/decision/operator-hold.ts';
import { excerpt, quote } from '../core/text/quote.ts';
import { DatabaseError } from '../sqlite/database-error.ts';
import type { Statements } from '../sqlite/statements.ts';
import { isIntact, SEALED, type TableName } from './sealed-tables.ts';

/** What is done about the damaged rows of a table, and said about one of them. `BAD` stands for their condition. */
interface Remedy {
  readonly sql: readonly string[];
  readonly says: (row: Fields) => string;
}

type Fields = Readonly<Record<string, unknown>>;

const target = ({ kind, name }: Fields): string => `${text(kind)} ${text(name)}`;
const text = (value: unknown): string => excerpt(String(value));

/**
 * Nothing that a machine's safety depends on is forgotten: an unknown deployed version stops its module until it is reported, and a
 * quarantine stays. The saved contents are checked when they are read, because they are large.
 */
const REMEDIES: Readonly<Record<Exclude<TableName, 'identity' | 'saved_contents'>, Remedy>> = {
  actions: {
    sql: [
      `UPDATE deployed SET is_known = 0 WHERE (kind, name) IN (
        SELECT kind, name FROM actions WHERE BAD UNION
        SELECT content ->> '$.target.kind', content ->> '$.target.name' FROM actions
        WHERE BAD AND json_valid(content))`,
      'DELETE FROM actions WHERE BAD',
    ],
    says: (row) =>
      `an action for ${target(row)}; it is withdrawn, and the deployed version counts as unknown until it is reported`,
  },
  deployed: {
    sql: ['DELETE FROM deployed WHERE BAD'],
    says: (row) => `the deployed version of ${target(row)}; it is unknown until it is reported`,
  },
  // The agent finds no version for the entry, reports that none is deployed, and one is installed.
  activations: {
    sql: [
      `UPDATE deployed SET is_known = 0 WHERE kind = 'module' AND name IN (SELECT name FROM activations WHERE BAD)`,
      'DELETE FROM activations WHERE BAD',
    ],
    says: ({ name }) =>
      `what the agent runs for module ${text(name)}; its version is installed again`,
  },
  quarantine: {
    sql: [
      `UPDATE quarantine SET until = NULL, refused = NULL,
        reason = 'its record was damaged, so it stays until it is lifted' WHERE BAD`,
    ],
    says: ({ module_id: moduleId, version }) =>
      `the quarantine of ${text(moduleId)} ${text(version)}; it stays until it is lifted: check its version`,
  },
  // Without its entries, a quarantine is in force in all of them.
  failed_entries: {
    sql: [
      'DELETE FROM failed_entries WHERE (module_id, version) IN (SELECT module_id, version FROM failed_entries WHERE BAD)',
    ],
    says: ({ module_id: moduleId, version }) =>
      `where ${text(moduleId)} ${text(version)} failed; it is refused in all entries until it is lifted`,
  },
  restart_requests: {
    sql: ['DELETE FROM restart_requests WHERE BAD'],
    says: (row) => `the requested restart of ${target(row)}; request it again`,
  },
  requesters: {
    sql: ['DELETE FROM requesters WHERE BAD'],
    says: ({ request, subject }) =>
      `who requested the ${text(request)} of ${text(subject)}; the request stays`,
  },
  upgrade_requests: {
    sql: ['DELETE FROM upgrade_requests WHERE BAD'],
    says: (row) => `the requested replacement of ${target(row)} at once; request it again`,
  },
  skipped_floors: {
    sql: ['DELETE FROM skipped_floors WHERE BAD'],
    says: (row) =>
      `that an operator skipped floor ${text(row['version'])} of ${target(row)}; it counts again until it is skipped again`,
  },
  round_requests: {
    sql: ['DELETE FROM round_requests WHERE BAD'],
    says: (row) => `the requested round of ${target(row)}; the next one is by the interval`,
  },
  // Even what it held may be damaged, so the machine is held (T338).
  operator_holds: {
    sql: [
      `INSERT OR REPLACE INTO operator_holds
        (kind, name, set_by, reason, since, longest_ms, elapsed_ms)
        SELECT 'machine', '', 'modreg', 'the record of a hold was damaged', since, ${LONGEST_HOLD_MS}, 0
        FROM operator_holds WHERE BAD LIMIT 1`,
      'DELETE FROM operator_holds WHERE BAD',
    ],
    says: () =>
      'a hold of an operator; the whole machine is held until modreg unhold ends that, for at most 30 days',
  },
  // Another key makes digests that nothing has failed under.
  entry_key: {
    sql: [
      'DELETE FROM failed_setups',
      'UPDATE entry_key SET key = lower(hex(randomblob(32))) WHERE BAD',
    ],
    says: () =>
      'the key of the digests of entries; no edit gives a release that has failed another try until its quarantine is lifted',
  },
  failed_setups: {
    sql: [
      `DELETE FROM failed_setups WHERE (module_id, version) IN (
        SELECT module_id, version FROM failed_setups WHERE BAD)`,
    ],
    says: ({ module_id: moduleId, version }) =>
      `an entry under which ${text(moduleId)} ${text(version)} failed; no edit gives it another try until its quarantine is lifted`,
  },
  held_replacements: {
    sql: ['DELETE FROM held_replacements WHERE BAD'],
    says: (row) => `since when ${target(row)} is held; longest_hold begins again`,
  },
  restarts: {
    sql: ['DELETE FROM restarts WHERE BAD'],
    says: (row) => `a restart of ${target(row)}; it no longer counts`,
  },
  decisions: {
    sql: ['DELETE FROM decisions WHERE BAD'],
    says: (row) => `the last decision about ${target(row)}; the next round decides again`,
  },
  starts: {
    sql: ['DELETE FROM starts WHERE BAD'],
    says: () => 'the time of a start; it no longer counts',
  },
  boots: {
    sql: ['DELETE FROM boots WHERE BAD'],
    says: () => 'in which boot of the machine an agent started; it counts as another one',
  },
  proven_versions: {
    sql: ['DELETE FROM proven_versions WHERE BAD'],
    says: (row) =>
      `that ${text(row['version'])} of ${target(row)} was up for an hour; it has to be up for another one`,
  },
  poller: {
    sql: ['UPDATE poller SET pid = NULL, round_at = NULL, trouble = NULL WHERE BAD'],
    says: () => 'the last round',
  },
  first_seen: {
    sql: ['DELETE FROM first_seen WHERE BAD'],
    says: ({ module_id: moduleId, version }) =>
      `when ${text(moduleId)} ${text(version)} was first seen; its publish time counts`,
  },
  decision_history: {
    sql: ['DELETE FROM decision_history WHERE BAD'],
    says: (row) => `an entry in the history of ${target(row)}`,
  },
  saved_lists: {
    sql: ['DELETE FROM saved_lists WHERE BAD'],
    says: ({ module_id: moduleId, address }) =>
      `the saved list of ${text(moduleId)} from ${text(address)}; its known digests and generation are lost, and the next list is a first one`,
  },
};

const CHECKED = Object.keys(REMEDIES) as (keyof typeof REMEDIES)[];
const MOST_KEPT = 1000;

/**
 * Sets damaged rows aside, into the table `damaged_rows`. The caller has a transaction. Returns what was lost and what happens
 * instead, in one escaped line for each row. Throws a DatabaseError if the whole file cannot be used.
 */
export function setDamagedRowsAside(sql: Statements): string[] {
  checkRows(sql, ['identity']);
  const lost: string[] = [];
  for (const name of CHECKED) {
    const bad = `NOT (${isIntact(name)})`;
    const pairs = SEALED[name].columns.map((column) => `'${column}', ${column}`);
    if (!sql.get(`SELECT 1 FROM ${name} WHERE ${bad} LIMIT 1`)) continue;
    const rows = sql.all(
      `INSERT INTO damaged_rows (row) SELECT json_object('table', '${name}', ${pairs.join(', ')})
       FROM ${name} WHERE ${bad} RETURNING row`,
    );
    const { sql: remedy, says } = REMEDIES[name];
    for (const { row } of rows)
      lost.push(`a damaged row: ${says(JSON.parse(String(row)) as Fields)}`);
    for (const statement of remedy) sql.run(statement.replaceAll('BAD', bad));
    sql.run(
      'DELETE FROM damaged_rows WHERE id <= (SELECT max(id) FROM damaged_rows) - ?',
      MOST_KEPT,
    );
  }
  return lost;
}

/** Throws a DatabaseError if a row is damaged (T90). The history is not checked, because it may be large. */
export function checkRows(
  sql: Statements,
  names: readonly TableName[] = [
    'identity',
    ...CHECKED.filter((name) => name !== 'decision_history'),
  ],
): void {
  for (const name of names) {
    const damaged = sql.get(`SELECT 1 FROM ${name} WHERE NOT (${isIntact(name)}) LIMIT 1`);
    if (!damaged) continue;
    const message = `${quote(sql.path)}: a row of the table ${name} is damaged; the next start of modreg agent run or modreg poll sets it aside`;
    throw new DatabaseError('damaged', message);
  }
}
