import type { DecideInput } from '../core/index.ts';
import { reportedText } from '../core/explanation/decision-words.ts';
import { loggedWords, type LoggedDecision } from '../core/plan/logged-decisions.ts';
import { NOT_ASKED } from '../core/plan/plan.ts';
import { keyOf, type TargetName } from '../core/plan/target.ts';
import { originOf, type ListOrigin } from '../registry/list-origin.ts';
import type { Row, Statements } from '../sqlite/statements.ts';
import { jsonIn } from '../sqlite/stored-value.ts';
import { quote } from '../core/text/quote.ts';
import { lasting, wordsOf } from '../core/text/time-words.ts';
import { DatabaseError } from '../sqlite/database-error.ts';
import { isIntact } from './sealed-tables.ts';
import { isDecision } from './decision-log.ts';
import { encodeFacts, haveSameFacts } from './facts.ts';
import { isText, objectOf, optional } from './shape.ts';
import { targetIn } from './target.ts';

const KEPT_MS = 90 * 86_400_000;
const KEPT_BYTES = 32 * 1024 * 1024;
/** How much time, or how many new bytes, may pass before old decisions are removed. */
const PRUNE_AFTER_MS = 3_600_000;
const PRUNE_AFTER_BYTES = 1024 * 1024;

/** A decision with the facts that led to it. */
export interface RecordedDecision extends LoggedDecision {
  /** The deployed version, without credentials; `none` or `unknown` if there is none. */
  readonly deployed: string;
  /** The parsed JSON of the facts; `decodeFacts` reads it. */
  readonly facts: unknown;
  /** Where the release list was from; absent if there was none, or its origin is not known. */
  readonly list?: ListOrigin | undefined;
  /** The newest version in the list, whether it may be selected or not; absent if there was no list. */
  readonly newest?: string | undefined;
}

/** A decision in the history of a target. */
export interface PastDecision {
  /** When it was made, in milliseconds since the epoch. */
  readonly since: number;
  /** The decision when it was made. */
  readonly first: RecordedDecision;
  /** The same decision with the facts of the last time at which they changed. */
  readonly last: RecordedDecision;
}

/** What a process that writes the history knows about it. */
export interface NotedDecisions {
  /** By target key: the newest decision. Its input is known once this process has logged it. */
  readonly newest: ReadonlyMap<string, Noted>;
  /** When this process last removed old decisions; undefined before the first time. */
  readonly prunedAt: number | undefined;
  /** How many bytes it has added since then. */
  readonly unpruned: number;
}

interface Noted {
  readonly id: number;
  readonly change: string;
  readonly decision?: LoggedDecision;
  readonly input?: DecideInput;
}

/** The newest decision of each target in the file. */
export function notedDecisions(sql: Statements): NotedDecisions {
  const newest = sql
    .all(SELECT_NEWEST)
    .map((row): [string, Noted] => [
      keyOf(targetIn(row)),
      { id: Number(row['id']), change: String(row['change']) },
    ]);
  return { newest: new Map(newest), prunedAt: undefined, unpruned: 0 };
}

/**
 * Adds the decisions that differ from the newest ones in the history, and updates the facts of the others if they have
 * changed. Decisions without an input are not kept, nor those that only wait for a registry's first answer. Returns the newest
 * decisions.
 */
export function noteDecisions(
  sql: Statements,
  decisions: readonly LoggedDecision[],
  inputs: ReadonlyMap<string, DecideInput>,
  before: NotedDecisions,
): NotedDecisions {
  // Inputs keep lists in memory, so those of earlier plans are dropped.
  const newest = new Map(
    Array.from(before.newest, ([key, { id, change }]): [string, Noted] => [key, { id, change }]),
  );
  let { unpruned } = before;
  let at: number | undefined;
  for (const decision of decisions) {
    const key = keyOf(decision);
    const input = inputs.get(key);
    const last = before.newest.get(key);
    if (!input || isUnanswered(decision, input)) continue;
    if (last && isNoted(last, decision, input)) {
      newest.set(key, { ...last, input });
      continue;
    }
    const change = changeOf(decision, input);
    const id = last?.change === change ? last.id : undefined;
    const content = encodedDecision(decision, input);
    newest.set(key, {
      id: write(sql, content, { id, change, decision, input }),
      change,
      decision,
      input,
    });
    at = input.eligibility.now;
    unpruned += content.length;
  }
  const isDue = at !== undefined && isPruningDue({ ...before, unpruned }, at);
  if (!isDue) return { ...before, newest, unpruned };
  sql.run(PRUNE, (at ?? 0) - KEPT_MS, KEPT_BYTES);
  return { newest, prunedAt: at, unpruned: 0 };
}

function isUnanswered({ decision }: LoggedDecision, { list, deployed }: DecideInput): boolean {
  return decision === 'stuck' && list === NOT_ASKED && deployed.kind !== 'unknown';
}

/** Pruning reads an entry of each decision that is kept, so it is not done for each change. */
function isPruningDue({ prunedAt, unpruned }: NotedDecisions, now: number): boolean {
  if (prunedAt === undefined || unpruned >= PRUNE_AFTER_BYTES) return true;
  return Math.abs(now - prunedAt) >= PRUNE_AFTER_MS;
}

/** Whether the history has `decision` with the facts of `input`. Cheap, because it is called in each plan. */
function isNoted(last: Noted, decision: LoggedDecision, input: DecideInput): boolean {
  const known = last.decision;
  return (
    known?.decision === decision.decision &&
    known.target === decision.target &&
    known.constraint === decision.constraint &&
    known.reason === decision.reason &&
    haveSameFacts(last.input, input)
  );
}

/** What makes a decision another one (D65). Of the reason, its facts do, which its code follows from: its times change with each plan. */
function changeOf(decision: LoggedDecision, input: DecideInput): string {
  const { moduleId, constraint, target, decision: word } = decision;
  const reason = lasting(wordsOf(loggedWords(decision)));
  return JSON.stringify([moduleId, constraint, target, word, deployedIn(input), reason]);
}

function deployedIn({ deployed }: DecideInput): string {
  return reportedText(deployed) ?? deployed.kind;
}

/** Writes a new row, or the new facts of the row `id`. Returns the id of the row. */
function write(
  sql: Statements,
  content: string,
  { id, change, decision: { kind, name }, input }: Writing,
): number {
  if (id !== undefined) {
    sql.run(UPDATE, content, content.length, id);
    return id;
  }
  const { now } = input.eligibility;
  return Number(sql.run(INSERT, kind, name, now, change, content.length, content).lastInsertRowid);
}

type Writing = Omit<Noted, 'id'> &
  Required<Pick<Noted, 'decision' | 'input'>> & { readonly id: number | undefined };

function encodedDecision(decision: LoggedDecision, input: DecideInput): string {
  const index = 'index' in input.list ? input.list.index : undefined;
  const [newest] = index?.releases() ?? [];
  const recorded = {
    ...decision,
    deployed: deployedIn(input),
    list: index && originOf(index),
    newest: newest?.version.text,
  } satisfies Omit<RecordedDecision, 'facts'>;
  return `${JSON.stringify(recorded).slice(0, -1)},"facts":${encodeFacts(input)}}`;
}

/** The history of a target, the oldest decision first. */
export function historyIn(sql: Statements, { kind, name }: TargetName): PastDecision[] {
  const rows = sql.all(SELECT, kind, name);
  if (rows.every((row) => row['is_intact'] === 1)) return rows.map((row) => pastDecision(row, sql));
  const message = `${quote(sql.path)}: the history of ${kind} ${quote(name)} is damaged; the next start of modreg agent run or modreg poll sets the damaged part aside`;
  throw new DatabaseError('damaged', message, { file: sql.path });
}

/** The newest decisions about all targets, at most `count`, the oldest first. */
export function recentHistory(sql: Statements, count: number): PastDecision[] {
  const rows = sql.all(SELECT_RECENT, count);
  return rows.map((row) => pastDecision(row, sql)).toReversed();
}

const FIRST_DECISION = { table: 'decision_history', key: 'id', column: 'first' } as const;

/** The newest decision of each target in the history, also of targets that the machine no longer has. */
export function newestInHistory(sql: Statements): RecordedDecision[] {
  return sql.all(SELECT_NEWEST).map((row) => jsonIn(row, FIRST_DECISION, sql, isRecorded));
}

function pastDecision(row: Row, sql: Statements): PastDecision {
  const first = jsonIn(row, FIRST_DECISION, sql, isRecorded);
  const last =
    row['last'] === null
      ? first
      : jsonIn(row, { ...FIRST_DECISION, column: 'last' }, sql, isRecorded);
  return { since: Number(row['at']), first, last };
}

/** The facts are checked when they are decoded. */
const shape = objectOf<Exclude<keyof RecordedDecision, keyof LoggedDecision | 'facts'>>({
  deployed: isText,
  list: optional(objectOf<keyof ListOrigin>({ address: isText, digest: isText })),
  newest: optional(isText),
});

function isRecorded(value: unknown): value is RecordedDecision {
  return isDecision(value) && shape(value);
}

const SELECT = `
  SELECT id, at, first, last, ${isIntact('decision_history')} AS is_intact
  FROM decision_history WHERE kind = ? AND name = ? ORDER BY id`;
const SELECT_RECENT = `
  SELECT id, at, first, last FROM decision_history ORDER BY id DESC LIMIT ?`;
const SELECT_NEWEST = `
  SELECT id, kind, name, change, first FROM decision_history
  WHERE id IN (SELECT max(id) FROM decision_history GROUP BY kind, name) ORDER BY kind, name`;
const INSERT = `
  INSERT INTO decision_history (kind, name, at, change, bytes, first) VALUES (?, ?, ?, ?, ?, ?)`;
const UPDATE = `
  UPDATE decision_history SET last = ?, bytes = length(first) + ? WHERE id = ?`;
/** Removes decisions that are too old, and the oldest of too many, but never the newest of a target. */
const PRUNE = `
  DELETE FROM decision_history WHERE id IN (
    SELECT id FROM (
      SELECT id, at, sum(bytes) OVER (ORDER BY id DESC) AS total,
        row_number() OVER (PARTITION BY kind, name ORDER BY id DESC) AS place
      FROM decision_history
    ) WHERE place > 1 AND (at < ? OR total > ?)
  )`;
