import * as v from 'valibot';
import type { CommandKind } from '../../core/trust/command-text.ts';
import type { CommandOutcome } from '../../registry/command-documents.ts';
import type { Row, Statements } from '../../sqlite/statements.ts';

/** A command to a machine, and who gave it. Times are milliseconds since the epoch. */
export interface StoredCommand {
  readonly machine: string;
  /** Counts the commands of the machine. */
  readonly number: number;
  readonly kind: CommandKind;
  /** Undefined for the whole machine. */
  readonly module: string | undefined;
  /** How long a hold lasts, as it was written. */
  readonly term: string | undefined;
  /** The one that is lifted from quarantine. */
  readonly version: string | undefined;
  readonly reason: string;
  readonly author: string;
  readonly at: number;
  readonly expiresAt: number;
  /** When operators say that they gave it, and their signatures; undefined if they did not sign it. */
  readonly signed?: CommandSignatures | undefined;
  /** Undefined until the machine has answered. */
  readonly outcome:
    | {
        readonly result: CommandOutcome['result'] | 'dropped';
        readonly detail: string;
        readonly at: number;
      }
    | undefined;
}

interface CommandSignatures {
  /** The key of the command, which they are over as well. */
  readonly id: string;
  readonly givenAt: number;
  /** By the ids of their keys. */
  readonly signatures: Readonly<Record<string, string>>;
}

/** What is stored of them. Damaged ones are none: the lists of other machines do not depend on them (T780). */
const SIGNED: v.GenericSchema<unknown, CommandSignatures | undefined> = v.fallback(
  v.optional(
    v.pipe(
      v.string(),
      v.parseJson(),
      v.object({
        id: v.string(),
        givenAt: v.number(),
        signatures: v.record(v.string(), v.string()),
      }),
    ),
  ),
  undefined,
);

/** What a person gives. */
export interface CommandWish extends Omit<StoredCommand, 'number' | 'outcome'> {
  /** The same for each repetition of a request. */
  readonly key: string;
}

/** `full`: so many commands of the machine wait already. */
export type GiveResult =
  | { readonly kind: 'given' | 'repeated'; readonly command: StoredCommand }
  | { readonly kind: 'full'; readonly machine: string; readonly waiting: number };

/** Of each machine; those that wait are kept besides. */
const MOST_COMMANDS = 100;
const MOST_WAITING = 20;

/** Stores a command under the next number, which no command had before (D294). The same key gets the same one. */
export function giveCommand(sql: Statements, wish: CommandWish): GiveResult {
  const { machine, key, kind, module, term, version, reason, author, at, expiresAt, signed } = wish;
  const earlier = sql.get(
    'SELECT * FROM machine_commands WHERE machine = ? AND key = ?',
    machine,
    key,
  );
  if (earlier) return { kind: 'repeated', command: commandIn(earlier) };
  const { waiting } = newestWaiting(sql, machine, at);
  if (waiting >= MOST_WAITING) return { kind: 'full', machine, waiting };
  const number = newestNumber(sql, machine) + 1;
  const row = [machine, number, key, kind, module ?? null, term ?? null, reason, author];
  sql.run(
    `INSERT INTO machine_commands
      (machine, number, key, kind, module, term, reason, author, at, expires_at, version, signed)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...row,
    at,
    expiresAt,
    version ?? null,
    signed ? JSON.stringify(signed) : null,
  );
  // There are no more of them than numbers.
  if (number > MOST_COMMANDS) forgetOldest(sql, machine, at);
  const { key: _key, ...rest } = wish;
  return { kind: 'given', command: { ...rest, number, outcome: undefined } };
}

/** Of those that do not wait, only the newest are kept. */
function forgetOldest(sql: Statements, machine: string, now: number): void {
  sql.run(
    `DELETE FROM machine_commands WHERE machine = ?1 AND (result IS NOT NULL OR expires_at <= ?2) AND number NOT IN
      (SELECT number FROM machine_commands WHERE machine = ?1 ORDER BY number DESC LIMIT ${MOST_COMMANDS})`,
    machine,
    now,
  );
}

/** The highest number that a command of the machine had, or had before a restore. */
function newestNumber(sql: Statements, machine: string): number {
  const row = sql.get(
    `SELECT max(ifnull((SELECT max(number) FROM machine_commands WHERE machine = ?), 0),
      (SELECT floor FROM command_floor)) AS newest`,
    machine,
  );
  return Number(row?.['newest']);
}

/** The commands that the machine has not answered and that have not expired (D301), in the order in which they were given. */
export function waitingOf(sql: Statements, machine: string, now: number): readonly StoredCommand[] {
  return sql
    .all(
      'SELECT * FROM machine_commands WHERE machine = ? AND result IS NULL AND expires_at > ? ORDER BY number',
      machine,
      now,
    )
    .map(commandIn);
}

/** How many wait, and the number of the newest one: thousands of machines ask for it at once. */
export function newestWaiting(
  sql: Statements,
  machine: string,
  now: number,
): { readonly waiting: number; readonly newest: number | undefined } {
  const row = sql.get(
    'SELECT count(*) AS waiting, max(number) AS newest FROM machine_commands WHERE machine = ? AND result IS NULL AND expires_at > ?',
    machine,
    now,
  );
  const waiting = Number(row?.['waiting']);
  return { waiting, newest: waiting > 0 ? Number(row?.['newest']) : undefined };
}

/** The newest first. */
export function commandsOf(sql: Statements, machine: string): readonly StoredCommand[] {
  return sql
    .all('SELECT * FROM machine_commands WHERE machine = ? ORDER BY number DESC', machine)
    .map(commandIn);
}

/** Up to `limit` commands to these machines, the newest first. */
export function commandsOfAll(
  sql: Statements,
  machines: readonly string[],
  limit: number,
): readonly StoredCommand[] {
  return sql
    .all(
      `SELECT * FROM machine_commands WHERE machine IN (SELECT value FROM json_each(?))
        ORDER BY at DESC, machine, number DESC LIMIT ?`,
      JSON.stringify(machines),
      limit,
    )
    .map(commandIn);
}

/** Those that operators signed; `signed` is undefined where that cannot be read. */
export function* signedCommands(sql: Statements): Generator<StoredCommand> {
  const rows = sql.iterate(
    'SELECT * FROM machine_commands WHERE signed IS NOT NULL ORDER BY machine, number',
  );
  for (const row of rows) yield commandIn(row);
}

/** Whether a machine has ever asked for commands. */
export function hasAsked(sql: Statements, machine: string): boolean {
  return sql.get('SELECT 1 FROM commanded_machines WHERE machine = ?', machine) !== undefined;
}

export function noteAsked(sql: Statements, machine: string): void {
  sql.run('INSERT OR IGNORE INTO commanded_machines VALUES (?)', machine);
}

/** Notes what a machine answers. The first answer to a command counts; one that is not known is passed over. Whether it counts. */
export function noteOutcome(
  sql: Statements,
  machine: string,
  { number, result, detail, at }: CommandOutcome & { readonly at: number },
): boolean {
  const { changes } = sql.run(
    'UPDATE machine_commands SET result = ?, detail = ?, answered_at = ? WHERE machine = ? AND number = ? AND result IS NULL',
    result,
    detail,
    at,
    machine,
    number,
  );
  return changes > 0;
}

/** After a restore, machines may have taken commands that the registry does not know: the next numbers are above them, and no command waits (T703). */
export function dropWaiting(
  sql: Statements,
  { added, now }: { readonly added: number; readonly now: number },
): void {
  sql.run(
    `UPDATE command_floor SET floor =
      max(floor, ifnull((SELECT max(number) FROM machine_commands), 0)) + ?`,
    added,
  );
  sql.run(
    "UPDATE machine_commands SET result = 'dropped', detail = ?, answered_at = ? WHERE result IS NULL",
    'the registry was restored from a backup, and the machine may have carried it out',
    now,
  );
}

function commandIn(row: Row): StoredCommand {
  const { module, term, version, signed, result } = row;
  return {
    machine: String(row['machine']),
    number: Number(row['number']),
    // Casts: only this file writes them.
    kind: String(row['kind']) as CommandKind,
    module: module === null ? undefined : String(module),
    term: term === null ? undefined : String(term),
    version: version === null ? undefined : String(version),
    reason: String(row['reason']),
    author: String(row['author']),
    at: Number(row['at']),
    expiresAt: Number(row['expires_at']),
    signed: v.parse(SIGNED, signed),
    outcome:
      result === null
        ? undefined
        : {
            result: String(result) as CommandOutcome['result'],
            detail: String(row['detail']),
            at: Number(row['answered_at']),
          },
  };
}
