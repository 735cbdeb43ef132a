import type { DatabaseSync } from 'node:sqlite';

/** A table whose rows have a checksum of these columns, and the columns that identify a row. */
interface SealedTable {
  readonly key: readonly string[];
  readonly columns: readonly string[];
}

function table(key: string, others: string): SealedTable {
  const keys = key.split(' ');
  return { key: keys, columns: [...keys, ...others.split(' ').filter((one) => one !== '')] };
}

export type TableName =
  | 'identity'
  | 'deployed'
  | 'actions'
  | 'restarts'
  | 'quarantine'
  | 'decisions'
  | 'starts'
  | 'poller'
  | 'first_seen'
  | 'decision_history'
  | 'saved_lists'
  | 'saved_contents'
  | 'activations'
  | 'restart_requests'
  | 'operator_holds'
  | 'upgrade_requests'
  | 'round_requests'
  | 'entry_key'
  | 'failed_setups'
  | 'held_replacements'
  | 'failed_entries'
  | 'boots'
  | 'proven_versions'
  | 'skipped_floors'
  | 'requesters';

/** Every table in which a flipped bit could change an answer (T90). */
export const SEALED: Readonly<Record<TableName, SealedTable>> = {
  identity: table('id', 'file'),
  deployed: table('kind name', 'module_id is_known text previous since failed'),
  actions: table(
    'number',
    'kind name module_id state content not_before deliveries failures changed_at outcome',
  ),
  restarts: table('action', 'kind name at'),
  quarantine: table(
    'module_id version',
    'digest since until reason is_rollback rolled_back_to refused',
  ),
  decisions: table('kind name', 'place content'),
  starts: table('id', 'at'),
  poller: table('id', 'pid round_at trouble'),
  first_seen: table('address module_id version', 'absent_at seen_at'),
  decision_history: table('id', 'kind name at change bytes first last'),
  saved_lists: table(
    'id',
    'address module_id confirmed_at sequence generation digest size kept etag history',
  ),
  saved_contents: table('list', 'content'),
  activations: table('name', 'module_id content'),
  restart_requests: table('kind name', 'module_id requested_at is_immediate failure'),
  operator_holds: table(
    'kind name',
    'set_by reason since ends_at longest_ms elapsed_ms counted_at',
  ),
  upgrade_requests: table(
    'kind name',
    'module_id requested_at requested_by reason from_version to_version despite',
  ),
  round_requests: table('kind name', 'requested_at'),
  entry_key: table('id', 'key'),
  failed_setups: table('module_id version entry digest', ''),
  held_replacements: table('kind name', 'module_id deployed since elapsed_ms counted_at'),
  failed_entries: table('module_id version kind name', 'since state same_as'),
  boots: table('start', 'boot'),
  proven_versions: table('kind name module_id version', ''),
  skipped_floors: table('kind name module_id version', 'skipped_by reason at'),
  requesters: table('request subject', 'at requested_by reason'),
};

/** SQL that is true for a row whose columns are those that its checksum was computed from. */
export function isIntact(name: TableName): string {
  return `${name}.checksum IS ${checksumOf(name)}`;
}

function checksumOf(name: TableName): string {
  return `row_checksum(${SEALED[name].columns.map((column) => `${name}.${column}`).join(', ')})`;
}

/**
 * Every write of this connection updates the checksums of its rows. Saved contents are written with theirs, because writing a
 * large row twice takes long.
 */
export function sealWrites(database: DatabaseSync): void {
  for (const [name, { key, columns }] of Object.entries(SEALED)) {
    if (name === 'saved_contents') continue;
    const isRow = key.map((column) => `${column} = NEW.${column}`).join(' AND ');
    const update = `UPDATE ${name} SET checksum = row_checksum(${columns.join(', ')}) WHERE ${isRow}`;
    database.exec(`
      CREATE TEMP TRIGGER seal_new_${name} AFTER INSERT ON main.${name} BEGIN ${update}; END;
      CREATE TEMP TRIGGER seal_${name} AFTER UPDATE OF ${columns.join(', ')} ON main.${name}
      BEGIN ${update}; END;`);
  }
}
