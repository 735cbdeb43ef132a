import { formatTime } from '../../core/text/rfc3339.ts';
import {
  LOG_LEVELS,
  type LogLevel,
  type SiteLine,
  type SiteLines,
} from '../../registry/site-logs.ts';
import type { Row, Statements } from '../../sqlite/statements.ts';
import type { Slices } from '../fleet/slices.ts';

/** Which lines are asked for. An absent field restricts nothing. */
export interface LogSearch {
  readonly machine?: string | undefined;
  readonly module?: string | undefined;
  /** The least severe. */
  readonly level?: LogLevel | undefined;
  /** In milliseconds since the epoch. */
  readonly since?: number | undefined;
  /** A part of their text, whose case does not matter. */
  readonly text?: string | undefined;
  /** Only lines that arrived before the one with this number. */
  readonly before?: number | undefined;
  readonly limit: number;
  /** Of the text of all lines, each of which is shown up to `ofLine`: so many characters. */
  readonly size?: { readonly ofAll: number; readonly ofLine: number } | undefined;
}

/** So many records are looked at without a pause, which takes some milliseconds. */
const SLICE = 10_000;
/** Of an answer whose lines are not cut, in bytes of records. */
const MOST_BYTES = 4 * 1024 * 1024;
/** The event of a line in which a machine says how many lines it dropped before they were sent. */
const LOST = 'modreg.log.dropped';
const COLUMNS =
  'name, records.id AS id, at, received_at, severity, module, version, event, text, records.bytes AS bytes';

/** The newest lines that match, the newest first (D308). */
export function* searchRecords(sql: Statements, search: LogSearch): Slices<SiteLines> {
  const machine = search.machine === undefined ? undefined : machineIn(sql, search.machine);
  if (search.machine !== undefined && !machine) return { lines: [], dropped: null, next: null };
  const where = conditionsOf(search, machine?.id);
  const lines: SiteLine[] = [];
  const { ofAll = MOST_BYTES, ofLine } = search.size ?? {};
  let [before, length] = [search.before ?? Number.MAX_SAFE_INTEGER, 0];
  for (;;) {
    const first = firstOf(sql, before, machine?.id);
    if (first === undefined) break;
    for (const row of sql.iterate(where.sql, first, before, ...where.values)) {
      // There are more, from this one.
      if (lines.length === search.limit || length > ofAll) {
        return { lines, dropped: machine?.dropped ?? null, next: Number(row['id']) + 1 };
      }
      length += ofLine === undefined ? Number(row['bytes']) : shownLength(row, ofLine);
      lines.push(lineIn(row));
    }
    before = first;
    yield;
  }
  return { lines, dropped: machine?.dropped ?? null, next: null };
}

function shownLength({ text }: Row, ofLine: number): number {
  return Math.min(String(text).length, ofLine);
}

interface KnownMachine {
  readonly id: number;
  readonly dropped: SiteLines['dropped'];
}

function machineIn(sql: Statements, name: string): KnownMachine | undefined {
  const row = sql.get('SELECT id, dropped, dropped_at FROM machines WHERE name = ?', name);
  if (!row) return undefined;
  const count = Number(row['dropped']);
  const dropped = count === 0 ? null : { count, until: formatTime(Number(row['dropped_at'])) };
  return { id: Number(row['id']), dropped };
}

/** The number of the first record of a slice that ends before `before`. */
function firstOf(sql: Statements, before: number, machine: number | undefined): number | undefined {
  // The ids of all records have few gaps, and counting would read all records a second time. Those of a machine have many.
  const row =
    machine === undefined
      ? sql.get(`SELECT max(id) - ${SLICE - 1} AS first FROM records WHERE id < ?`, before)
      : sql.get(
          `SELECT min(id) AS first FROM (SELECT id FROM records WHERE machine = ? AND id < ? ORDER BY id DESC LIMIT ${SLICE})`,
          machine,
          before,
        );
  return row?.['first'] === null ? undefined : Number(row?.['first']);
}

function conditionsOf(
  { module, level, since, text }: LogSearch,
  machine: number | undefined,
): { readonly sql: string; readonly values: readonly (string | number)[] } {
  const conditions = [
    ['machine = ?', machine],
    ['severity >= ?', level && LOG_LEVELS.indexOf(level)],
    ['module = ?', module],
    ['known_at >= ?', since],
  ] as const;
  const used = conditions.flatMap(([condition, value]): Condition[] =>
    value === undefined ? [] : [[condition, value]],
  );
  if (text !== undefined) used.push(hasPart(text));
  const where = ['records.id >= ?', 'records.id < ?', ...used.map(([condition]) => condition)];
  return {
    sql: `SELECT ${COLUMNS} FROM records JOIN machines ON machines.id = machine
      WHERE ${where.join(' AND ')} ORDER BY records.id DESC`,
    values: used.flatMap(([, ...values]) => values),
  };
}

type Condition = readonly [sql: string, ...values: readonly (string | number)[]];

/** SQLite has a longest pattern, of 50,000 bytes. */
const LONGEST_PATTERN = 10_000;

/**
 * Whether a text has `part`, whose case does not matter in ASCII. LIKE takes half as long as lower(), which copies each text, but ends at a NUL:
 * a text with one has fewer characters than bytes.
 */
function hasPart(part: string): Condition {
  const slow = 'instr(lower(text), lower(?)) > 0';
  if (part.includes('\0') || part.length > LONGEST_PATTERN) return [slow, part];
  const pattern = `%${part.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
  const found = String.raw`text LIKE ? ESCAPE '\'`;
  return [`(${found} OR (length(text) < octet_length(text) AND ${slow}))`, pattern, part];
}

function lineIn({ name, at, received_at, severity, module, version, event, text }: Row): SiteLine {
  const line = {
    machine: String(name),
    at: formatTime(Number(at)),
    received_at: formatTime(Number(received_at)),
    level: LOG_LEVELS[Number(severity)] ?? 'error',
    module: textIn(module),
    version: textIn(version),
    event: textIn(event),
    text: String(text),
  };
  return event === LOST ? { ...line, gap: true } : line;
}

function textIn(value: Row[string] | undefined): string | null {
  return value === null || value === undefined ? null : String(value);
}
