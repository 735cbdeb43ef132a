import { quote } from '../../core/text/quote.ts';
import { DatabaseError } from '../../sqlite/database-error.ts';
import type { Row, Statements } from '../../sqlite/statements.ts';
import { storesFile } from '../artifacts/artifact-store.ts';
import {
  applyChange,
  type CatalogueChange,
  type ChangeKind,
  type ChangeResults,
} from './catalogue-change.ts';

import { isOfFront, isOfSingleServer } from '../front-file.ts';
import { importedRows, tokensToShare, writeRows, type ImportedRow } from './imported-rows.ts';

/** An event of the stream that all fronts of a cluster follow. */
export interface LoggedEvent {
  /** Its number in the stream, from 1 without gaps. */
  readonly sequence: number;
  readonly subject: string;
  /** Text of this event alone. */
  readonly id: string;
  readonly body: string;
}

/** The events that this catalogue has applied. A catalogue of a single server has none. */
export interface ChangeLog {
  /** Whether this catalogue is that of a front of a cluster. */
  readonly isOfFront: () => boolean;
  /** The number of the last event; 0 without one. */
  readonly last: () => number;
  /** The number of the last event with this subject; 0 without one. */
  readonly lastOf: (subject: string) => number;
  /** The event with this number; undefined if this catalogue does not have it. */
  readonly at: (sequence: number) => LoggedEvent | undefined;
  /** Stores the first event, and takes the history from it, which all fronts then have. */
  readonly begin: (event: LoggedEvent, history: string) => void;
  /** Stores the next event with rows of another catalogue. */
  readonly load: (event: LoggedEvent, rows: readonly ImportedRow[]) => void;
  /** All rows that another catalogue needs to be the same as this one. */
  readonly rows: () => Iterable<ImportedRow>;
  /** Tokens that were created or revoked in this file, and that the stream does not have so: the first of them. */
  readonly tokensToShare: () => readonly ImportedRow[];
  /** Stores the next event with its change, in one transaction. */
  readonly apply: <K extends ChangeKind>(
    event: LoggedEvent,
    change: CatalogueChange<K>,
  ) => ChangeResults[K];
  /** The result that a change would have now. Changes nothing. */
  readonly preview: <K extends ChangeKind>(change: CatalogueChange<K>) => ChangeResults[K];
}

/** `change` runs its argument in a transaction; `applied` is called after each change of an event. */
export function changeLog(
  sql: Statements,
  change: <T>(work: () => T) => T,
  applied: (one: { readonly kind: ChangeKind }) => void,
): ChangeLog {
  const add = (event: LoggedEvent): void => addEvent(sql, event);
  return {
    isOfFront: () => isOfFront(sql),
    last: () => lastSequence(sql),
    lastOf: (subject) =>
      lastIn(sql.get('SELECT max(sequence) AS last FROM events WHERE subject = ?', subject)),
    at(sequence) {
      const row = sql.get('SELECT * FROM events WHERE sequence = ?', sequence);
      return row && eventIn(row);
    },
    begin: (event, history) =>
      change(() => {
        add(event);
        sql.run('UPDATE catalogue SET shared_history = ?', history);
      }),
    load: (event, rows) =>
      change(() => {
        add(event);
        writeRows(sql, rows);
      }),
    rows: () => importedRows(sql),
    tokensToShare: () => tokensToShare(sql),
    apply(event, one) {
      const result = change(() => {
        add(event);
        // Its front has checked the files: a front that lacks one must not decide otherwise.
        return applyChange(sql, one, { hasFile: () => true });
      });
      applied(one);
      return result;
    },
    preview: (one) =>
      undone(change, () => applyChange(sql, one, { hasFile: storesFile(sql.path) })),
  };
}

function lastSequence(sql: Statements): number {
  return lastIn(sql.get('SELECT max(sequence) AS last FROM events'));
}

function addEvent(sql: Statements, { sequence, subject, id, body }: LoggedEvent): void {
  const last = lastSequence(sql);
  if (sequence !== last + 1) throw new Error(`event ${sequence} does not follow ${last}`);
  sql.run('INSERT INTO events VALUES (?, ?, ?, ?)', sequence, subject, id, body);
}

/** Runs `work`. Throws if the catalogue follows a stream: a change that is not in the stream would be on one front only. */
export function ownChange<T>(sql: Statements, work: () => T): T {
  if (isOfSingleServer(sql)) return work();
  if (!isOfFront(sql)) {
    throw new DatabaseError('damaged', `${quote(sql.path)}: its table catalogue is empty`, {
      file: sql.path,
    });
  }
  const found = 'it belongs to a front of a cluster, and changes only through one: pass --registry';
  throw new DatabaseError('unwritable', `${quote(sql.path)}: ${found}`, { file: sql.path });
}

class Undone<T> extends Error {
  readonly result: T;

  constructor(result: T) {
    super('undone');
    this.result = result;
  }
}

/** The result of `work`, whose changes are undone. */
function undone<T>(change: (work: () => never) => never, work: () => T): T {
  try {
    return change(() => {
      throw new Undone(work());
    });
  } catch (error) {
    if (error instanceof Undone) return error.result as T;
    throw error;
  }
}

function lastIn(row: Row | undefined): number {
  return Number(row?.['last'] ?? 0);
}

function eventIn({ sequence, subject, id, body }: Row): LoggedEvent {
  return {
    sequence: Number(sequence),
    subject: String(subject),
    id: String(id),
    body: String(body),
  };
}
