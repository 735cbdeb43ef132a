import { quote } from '../core/text/quote.ts';
import { DatabaseError } from '../sqlite/database-error.ts';
import { setAside } from '../sqlite/set-aside.ts';
import { openLog, type LogFile } from './log-file.ts';
import type { LogRecord } from './log-record.ts';

/** Writes a log: warnings and errors at the end of this turn of the event loop, other lines within a second. */
export interface LogWriter {
  write(record: LogRecord): void;
  /** Writes what waits, and closes the file. */
  close(): void;
}

const DELAY_MS = 1000;
/** So many lines do not wait. */
const MOST_WAITING = 1000;
/** So many lines are written in one transaction: a larger one would make the write-ahead log as large as the lines. */
const AT_ONCE = 64;

/**
 * The log at `path`, for the only process that writes it. `onTrouble` is called when lines cannot be written, once until they
 * can; the log then says how many are missing. A damaged file is set aside in the place of an earlier one, because no log
 * is worth stopping what it is about.
 */
export function logWriter(path: string, onTrouble: (reason: string) => void): LogWriter {
  const file = replaceable(path, onTrouble);
  let waiting: LogRecord[] = [];
  let timer: NodeJS.Timeout | undefined;
  let missing = 0;
  const add = (records: readonly LogRecord[], at: number): void => {
    try {
      file.append(missing === 0 ? records : [gap(at, missing), ...records]);
      missing = 0;
    } catch (error) {
      if (!(error instanceof DatabaseError)) throw error;
      if (missing === 0) onTrouble(`${error.message}; lines will be missing in the log`);
      missing += records.length;
    }
  };
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const records = waiting;
    const [first] = records;
    waiting = [];
    if (!first) return;
    for (let next = 0; next < records.length; next += AT_ONCE) {
      add(records.slice(next, next + AT_ONCE), first.at);
    }
  };
  return {
    write(record) {
      waiting.push(record);
      const isUrgent = record.severity !== 'info' || waiting.length >= MOST_WAITING;
      // What is flushed twice is empty the second time.
      if (isUrgent) setImmediate(flush);
      else timer ??= setTimeout(flush, DELAY_MS);
    },
    close() {
      flush();
      file.close();
    },
  };
}

/** The file at `path`, which is opened when it is first written, after an error again, and replaced if it is damaged. */
function replaceable(
  path: string,
  onTrouble: (reason: string) => void,
): Pick<LogFile, 'append' | 'close'> {
  let file: LogFile | undefined;
  const close = (): void => {
    file?.close();
    file = undefined;
  };
  const append = (records: readonly LogRecord[]): void => {
    file ??= openLog(path, 'create');
    file.append(records);
  };
  return {
    append(records) {
      try {
        append(records);
      } catch (error) {
        close();
        if (!(error instanceof DatabaseError) || error.kind !== 'damaged') throw error;
        const aside = quote(setAside(path));
        onTrouble(`${error.message}; it is now ${aside}, and a new log begins`);
        append(records);
      }
    },
    close,
  };
}

function gap(at: number, count: number): LogRecord {
  const text = `${count} lines are missing: they could not be written`;
  return { at, severity: 'warn', module: undefined, text };
}
