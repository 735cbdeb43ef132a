import type { Statements } from '../../sqlite/statements.ts';
import type { ReceivedRecord } from './received-records.ts';

/** How much is kept, in bytes of records. */
export interface LogRoom {
  readonly ofMachine: number;
  readonly inTotal: number;
}

/** Records of a machine that arrived together. */
export interface ReceivedBatch {
  readonly machine: string;
  readonly records: readonly ReceivedRecord[];
}

/** What a record takes besides its texts: its row, and its place in two indexes. */
const OVERHEAD_BYTES = 128;
/** A clock that says an earlier time is wrong, as after a start without a battery (T712). */
const EARLIEST = Date.UTC(2020, 0, 1);
const MOST_AHEAD_MS = 86_400_000;
/** A part of the room, which is freed at once: finding the records takes as long for one as for many. */
const FREED = 16;

/** Stores records that are not known yet, and drops others if there are too many (D306). `now` is the time of the registry. */
export function storeRecords(
  sql: Statements,
  { machine: name, records }: ReceivedBatch,
  { now, room }: { readonly now: number; readonly room: LogRoom },
): void {
  const machine = machineNumber(sql, name);
  let [bytes, severeBytes] = [0, 0];
  for (const record of records) {
    const size = insert(sql, record, { machine, now });
    bytes += size;
    if (record.severity > 0) severeBytes += size;
  }
  sql.run(
    'UPDATE machines SET bytes = bytes + ?, severe_bytes = severe_bytes + ? WHERE id = ?',
    bytes,
    severeBytes,
    machine,
  );
  trimMachine(sql, machine, room.ofMachine);
  trimAll(sql, room.inTotal);
}

function machineNumber(sql: Statements, name: string): number {
  sql.run('INSERT INTO machines (name) VALUES (?) ON CONFLICT (name) DO NOTHING', name);
  return Number(sql.get('SELECT id FROM machines WHERE name = ?', name)?.['id']);
}

/** Adds a record, and returns its size; 0 if it is known (D307). */
function insert(
  sql: Statements,
  { uid, at, severity, module, version, event, text }: ReceivedRecord,
  { machine, now }: { readonly machine: number; readonly now: number },
): number {
  const texts = [module ?? null, version ?? null, event ?? null, text] as const;
  const bytes = texts.reduce((sum, one) => sum + Buffer.byteLength(one ?? ''), OVERHEAD_BYTES);
  const said = at ?? now;
  const { changes } = sql.run(
    `INSERT INTO records (machine, uid, at, known_at, received_at, severity, module, version, event, text, bytes)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (machine, uid) DO NOTHING`,
    machine,
    uid,
    said,
    said < EARLIEST || said > now + MOST_AHEAD_MS ? now : said,
    now,
    severity,
    ...texts,
    bytes,
  );
  return changes > 0 ? bytes : 0;
}

function trimMachine(sql: Statements, machine: number, room: number): void {
  for (;;) {
    const row = sql.get('SELECT bytes, severe_bytes FROM machines WHERE id = ?', machine);
    const excess = Number(row?.['bytes']) - room;
    if (excess <= 0) return;
    // Warnings and errors are kept longer, and cannot take all the room.
    const isSevere = Number(row?.['severe_bytes']) > room / 2;
    drop(sql, { machine, isSevere, atLeast: Math.max(excess, room / FREED) });
  }
}

/** Drops records of the machine that has most: one that floods the registry costs no other machine its lines. */
function trimAll(sql: Statements, room: number): void {
  for (;;) {
    const excess = Number(sql.get('SELECT total(bytes) AS bytes FROM machines')?.['bytes']) - room;
    if (excess <= 0) return;
    const row = sql.get('SELECT id, bytes FROM machines ORDER BY bytes DESC LIMIT 1');
    const bytes = Number(row?.['bytes']);
    const freed = Math.max(excess, room / FREED);
    trimMachine(sql, Number(row?.['id']), Math.max(0, bytes - Math.min(freed, bytes / FREED)));
  }
}

/** Drops the oldest records of a kind, until so many bytes are free or none is left. */
function drop(
  sql: Statements,
  what: { readonly machine: number; readonly isSevere: boolean; readonly atLeast: number },
): void {
  const { machine, isSevere, atLeast } = what;
  const kind = isSevere ? 'severity > 0' : 'severity = 0';
  let [last, found] = [0, 0];
  for (const { id, bytes } of sql.iterate(
    `SELECT id, bytes FROM records WHERE machine = ? AND ${kind} ORDER BY id`,
    machine,
  )) {
    last = Number(id);
    found += Number(bytes);
    if (found >= atLeast) break;
  }
  if (found === 0) return recount(sql, machine);
  const { newest } =
    sql.get(
      `SELECT max(known_at) AS newest FROM records WHERE machine = ? AND ${kind} AND id <= ?`,
      machine,
      last,
    ) ?? {};
  const { changes } = sql.run(
    `DELETE FROM records WHERE machine = ? AND ${kind} AND id <= ?`,
    machine,
    last,
  );
  sql.run(
    `UPDATE machines SET bytes = bytes - ?, severe_bytes = severe_bytes - ?, dropped = dropped + ?,
      dropped_at = max(dropped_at, ?) WHERE id = ?`,
    found,
    isSevere ? found : 0,
    Number(changes),
    Number(newest),
    machine,
  );
}

/** The counts say that there is a record of a kind, and there is none: the file was edited (T713). */
function recount(sql: Statements, machine: number): void {
  sql.run(
    `UPDATE machines SET (bytes, severe_bytes) = (
      SELECT coalesce(sum(bytes), 0), coalesce(sum(bytes) FILTER (WHERE severity > 0), 0)
      FROM records WHERE machine = machines.id
    ) WHERE id = ?`,
    machine,
  );
}
