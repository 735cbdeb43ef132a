import type { LoggedDecision } from '../core/plan/logged-decisions.ts';
import { keyOf } from '../core/plan/target.ts';
import type { Statements } from '../sqlite/statements.ts';
import { jsonIn } from '../sqlite/stored-value.ts';
import { numberOf, textOf } from './columns.ts';
import {
  isModuleId,
  isNumber,
  isText,
  isWords,
  objectOf,
  oneOf,
  optional,
  type Shape,
} from './shape.ts';
import { targetIn } from './target.ts';

const isCode = objectOf({ code: isText });
const isReason: Shape = (reason) => isCode(reason) && isWords(reason);

const shape: Shape = objectOf<keyof LoggedDecision>({
  deployedYanked: optional(objectOf({ version: isText, because: isText, stays: optional(isText) })),
  deployedUnfit: optional(isText),
  kind: oneOf('module', 'subsystem'),
  name: isText,
  moduleId: isModuleId,
  constraint: optional(isText),
  target: optional(isText),
  latest: optional(isText),
  accepted: optional(isText),
  decision: isText,
  reason: isText,
  because: optional(isReason),
  waitsFor: optional(isText),
  until: optional(isNumber),
  next: optional(
    objectOf({ at: isNumber, because: isText, decision: isText, target: optional(isText) }),
  ),
});

export function isDecision(value: unknown): value is LoggedDecision {
  return shape(value);
}

/** A round of a poller. */
export interface LoggedRound {
  /** When it began, in milliseconds since the epoch. */
  readonly at: number;
  /** Why some lists are not current, in one escaped line; undefined if all are. */
  readonly trouble: string | undefined;
  /** When the next one begins, in milliseconds since the epoch; absent if that is not known. */
  readonly nextAt?: number | undefined;
}

/** The process that polls, or polled last, and its last round. */
export interface PollerLog {
  readonly pid: number | undefined;
  readonly round: LoggedRound | undefined;
}

const CONTENT = { table: 'decisions', key: 'name', column: 'content' } as const;

export function decisionsIn(sql: Statements): LoggedDecision[] {
  const rows = sql.all('SELECT name, content FROM decisions ORDER BY place, kind, name');
  return rows.map((row) => jsonIn(row, CONTENT, sql, isDecision));
}

/** The decisions in the file, by target key. */
export type WrittenDecisions = ReadonlyMap<string, string>;

export function writtenDecisions(sql: Statements): WrittenDecisions {
  const rows = sql.all('SELECT kind, name, place, content FROM decisions');
  return new Map(
    rows.map((row) => [keyOf(targetIn(row)), `${Number(row['place'])} ${String(row['content'])}`]),
  );
}

/** Writes the decisions that differ from `before`, deletes the others, and returns what is written now. */
export function logDecisions(
  sql: Statements,
  decisions: readonly LoggedDecision[],
  before: WrittenDecisions,
): WrittenDecisions {
  const written = new Map<string, string>();
  for (const [place, decision] of decisions.entries()) {
    const { kind, name } = decision;
    const content = JSON.stringify(decision);
    const key = keyOf(decision);
    written.set(key, `${place} ${content}`);
    if (before.get(key) === written.get(key)) continue;
    sql.run(WRITE, kind, name, place, content);
  }
  for (const key of before.keys()) {
    if (!written.has(key)) sql.run("DELETE FROM decisions WHERE kind || ' ' || name = ?", key);
  }
  return written;
}

const WRITE = `
  INSERT OR REPLACE INTO decisions (kind, name, place, content) VALUES (?, ?, ?, ?)`;

export function pollerLog(sql: Statements): PollerLog {
  // A file that no later modreg has written lacks the last column.
  const row = sql.get('SELECT * FROM poller');
  const at = numberOf(row?.['round_at']);
  return {
    pid: numberOf(row?.['pid']),
    round:
      at === undefined
        ? undefined
        : { at, trouble: textOf(row?.['trouble']), nextAt: numberOf(row?.['next_round_at']) },
  };
}

const WRITE_ROUND = 'UPDATE poller SET round_at = ?, trouble = ?, next_round_at = ?';

export function logRound(sql: Statements, { at, trouble, nextAt }: LoggedRound): void {
  const next = nextAt === undefined ? null : Math.round(nextAt);
  sql.run(WRITE_ROUND, at, trouble ?? null, next);
}
