import { keepOutcomes } from './kept-outcomes.ts';
import { placementsOf, replaceState, type StateTables } from './replace-state.ts';
import { stateCounts } from './state-counts.ts';
import { excerpt, quote } from '../../core/text/quote.ts';
import { DatabaseError, isOfValues } from '../../sqlite/database-error.ts';
import type { Row, Statements } from '../../sqlite/statements.ts';
import { LARGEST_NUMBER, type MachineReport } from '../../registry/machine-report.ts';

/** The answer to a report. */
export type ReportAnswer =
  /** The server has the outcomes up to this number. It did not take a state with a lower number than one of this queue that it has, or an outcome with the number of another one. */
  | { readonly kind: 'known'; readonly knownTo: number; readonly isOlderState?: true }
  /** It lacks outcomes before the report; nothing was changed. */
  | { readonly kind: 'gap'; readonly knownTo: number }
  /** Two processes report under this id, so neither is counted. */
  | { readonly kind: 'duplicate' };

/** A report that cannot be applied, although the file and its disk are in order. Nothing of it was. */
export interface RefusedReport {
  readonly kind: 'refused';
  /** Undefined if this program does not accept its form. */
  readonly machine: string | undefined;
  readonly error: DatabaseError;
}

const DAY_MS = 86_400_000;
/** How long after its last sign a second process counts: machines report once a day. */
export const DUPLICATE_MS: number = 2 * DAY_MS;
/** So many restarts of a machine hide no second one. */
const MOST_INSTANCES = 8;

interface Known {
  readonly id: number;
  readonly queue: string;
  readonly knownTo: number;
  readonly stateNumber: number;
  readonly instance: string;
  readonly seenAt: number;
  readonly duplicateAt: number | undefined;
}

/** A report, and the machine that sent it. */
export interface SentReport {
  readonly machine: string;
  readonly report: MachineReport;
}

/** The number after which the server lacks outcomes before the report; undefined if it lacks none. */
export function gapBefore(sql: Statements, { machine, report }: SentReport): number | undefined {
  const row = sql.get('SELECT * FROM machines WHERE name = ?', machine);
  const known = row && knownIn(row);
  const knownTo = known?.queue === report.queue ? known.knownTo : 0;
  return report.after > knownTo ? knownTo : undefined;
}

/** How reports are taken. */
export interface Taking {
  /** When they were received. */
  readonly at: number;
  /** If outcomes before a report are missing, it is refused, or they count as dropped: a front takes what another front did not refuse. */
  readonly gaps: 'refuse' | 'count';
}

/**
 * Takes reports in their order, in a transaction of the caller. What is known already changes nothing. One that cannot be applied is
 * refused, and the others are taken (T247). An error of the file or of its disk is none of a report, and is thrown.
 */
export function takeReports(
  sql: Statements,
  reports: readonly (SentReport | undefined)[],
  taking: Taking,
): (ReportAnswer | RefusedReport)[] {
  const counts = stateCounts(sql);
  const answers = reports.map((sent) => takeAlone({ sql, counts }, sent, taking));
  counts.write();
  return answers;
}

function takeAlone(
  tables: StateTables,
  sent: SentReport | undefined,
  taking: Taking,
): ReportAnswer | RefusedReport {
  if (!sent) return refusal(undefined, new Error('it has a form that this modreg does not accept'));
  const { sql, counts } = tables;
  const undo = counts.begin();
  sql.run('SAVEPOINT report');
  try {
    const answer = takeReport(tables, sent, taking);
    sql.run('RELEASE report');
    return answer;
  } catch (error) {
    if (!isOfValues(error)) throw error;
    sql.run('ROLLBACK TO report');
    sql.run('RELEASE report');
    undo();
    return refusal(sent.machine, error);
  }
}

function refusal(machine: string | undefined, cause: unknown): RefusedReport {
  // Without the path of the file, which differs between fronts.
  const found = cause instanceof DatabaseError ? (cause.cause ?? cause) : cause;
  const why = found instanceof Error ? found.message : String(found);
  const whose = machine === undefined ? 'a report' : `the report of ${quote(machine)}`;
  const message = `${whose} cannot be applied: ${excerpt(why)}; nothing of it was, and other machines are not concerned`;
  return { kind: 'refused', machine, error: new DatabaseError('damaged', message, { cause }) };
}

function takeReport(
  tables: StateTables,
  { machine: name, report }: SentReport,
  { at: now, gaps }: Taking,
): ReportAnswer {
  const { sql } = tables;
  const row = sql.get('SELECT * FROM machines WHERE name = ?', name);
  const known = row && knownIn(row);
  if (known && isDuplicate(sql, known, report.instance, now)) {
    flag(tables, known, now);
    return { kind: 'duplicate' };
  }
  // The numbers of another queue begin again.
  const isSame = known?.queue === report.queue;
  const knownTo = isSame ? known.knownTo : 0;
  if (gaps === 'refuse' && report.after > knownTo) return { kind: 'gap', knownTo };
  const machine = known?.id ?? added(sql, name, report, now);
  if (known && known.instance !== report.instance) noteEarlier(sql, known);
  const fresh = report.outcomes.filter(({ number }) => number > knownTo);
  const { queue, outcomes } = report;
  const isOlderCopy = keepOutcomes(sql, machine, { queue, outcomes, at: now, knownTo });
  const to = Math.max(knownTo, report.to);
  sql.run(UPDATE, report.queue, to, to - knownTo - fresh.length, report.instance, now, machine);
  const { state } = report;
  if (state && (!isSame || state.number > known.stateNumber))
    replaceState(tables, machine, { state, at: now });
  // Only a machine that went back to an older image counts from a lower number: it must begin another queue (T360).
  const isOlderState = isSame && state ? state.number < known.stateNumber : false;
  return {
    kind: 'known',
    knownTo: to,
    ...((isOlderState || isOlderCopy) && { isOlderState: true }),
  };
}

/** A retired machine that reports is back (D83). A machine that begins a queue again and again counts no more than LARGEST_NUMBER (T246). */
const UPDATE = `UPDATE machines SET queue = ?, known_to = ?, missing = min(missing + ?, ${LARGEST_NUMBER}), instance = ?,
  seen_at = ?, duplicate_at = NULL, retired_at = NULL, retired_by = NULL WHERE id = ?`;

function knownIn(row: Row): Known {
  const duplicateAt = row['duplicate_at'];
  return {
    id: Number(row['id']),
    queue: String(row['queue']),
    knownTo: Number(row['known_to']),
    stateNumber: Number(row['state_number']),
    instance: String(row['instance']),
    seenAt: Number(row['seen_at']),
    duplicateAt: duplicateAt === null ? undefined : Number(duplicateAt),
  };
}

function added(sql: Statements, name: string, report: MachineReport, now: number): number {
  const { lastInsertRowid } = sql.run(
    `INSERT INTO machines (name, queue, known_to, missing, state_number, instance, seen_at)
      VALUES (?, ?, 0, 0, 0, ?, ?)`,
    name,
    report.queue,
    report.instance,
    now,
  );
  return Number(lastInsertRowid);
}

/**
 * Whether another process reports under this id as well: one that reported before the last one does so again. A restarted machine
 * is a new process, and never an earlier one. The machine stays flagged until that has not happened for two days.
 */
function isDuplicate(sql: Statements, known: Known, instance: string, now: number): boolean {
  const { id, seenAt, duplicateAt } = known;
  const isFlagged = duplicateAt !== undefined && now - duplicateAt < DUPLICATE_MS;
  if (instance === known.instance) return isFlagged;
  const earlier = sql.get(
    'SELECT 1 FROM earlier_instances WHERE machine = ? AND instance = ?',
    id,
    instance,
  );
  const isBack = earlier !== undefined && now - seenAt < DUPLICATE_MS;
  if (!isBack && !isFlagged) return false;
  noteEarlier(sql, known);
  const flaggedAt = isBack ? now : (duplicateAt ?? now);
  sql.run(
    'UPDATE machines SET instance = ?, duplicate_at = ? WHERE id = ?',
    instance,
    flaggedAt,
    id,
  );
  return true;
}

/** Removes a machine from the counts. Its next report that is taken has its state again. */
function flag({ sql, counts }: StateTables, { id }: Known, now: number): void {
  for (const { state } of placementsOf(sql, id).values()) counts.release(state);
  sql.run('DELETE FROM placements WHERE machine = ?', id);
  sql.run(
    'UPDATE machines SET state_number = 0, seen_at = ?, retired_at = NULL, retired_by = NULL WHERE id = ?',
    now,
    id,
  );
}

function noteEarlier(sql: Statements, { id, instance, seenAt }: Known): void {
  sql.run(
    `INSERT INTO earlier_instances (machine, instance, seen_at) VALUES (?1, ?2, ?3)
      ON CONFLICT DO UPDATE SET seen_at = ?3`,
    id,
    instance,
    seenAt,
  );
  sql.run(
    `DELETE FROM earlier_instances WHERE machine = ?1 AND instance NOT IN
      (SELECT instance FROM earlier_instances WHERE machine = ?1 ORDER BY seen_at DESC LIMIT ${MOST_INSTANCES})`,
    id,
  );
}
