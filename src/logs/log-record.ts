import type { Row } from '../sqlite/statements.ts';

/** The least severe first. */
export const SEVERITIES = ['info', 'warn', 'error'] as const;

export type Severity = (typeof SEVERITIES)[number];

/** A line of a log. */
export interface LogRecord {
  /** In milliseconds since the epoch. */
  readonly at: number;
  readonly severity: Severity;
  /** The module entry that it is about; undefined for the agent itself. */
  readonly module: string | undefined;
  /** The version of the module, if it is known. */
  readonly version?: string | undefined;
  /** The event that it reports, such as `modreg.module.started`. */
  readonly event?: string | undefined;
  readonly text: string;
}

/** A record with its number. Later records have higher numbers. */
export interface StoredRecord extends LogRecord {
  readonly id: number;
}

/** What a log no longer has: it was dropped for later records. */
export interface Dropped {
  readonly count: number;
  /** The time of the newest record that was dropped. */
  readonly newestAt: number;
}

/** The columns that `recordIn` reads. */
export const COLUMNS = 'id, at, severity, module, version, event, text';

export function recordIn({ id, at, severity, module, version, event, text }: Row): StoredRecord {
  return {
    id: Number(id),
    at: Number(at),
    severity: SEVERITIES[Number(severity)] ?? 'error',
    module: textIn(module),
    version: textIn(version),
    event: textIn(event),
    text: String(text),
  };
}

function textIn(value: Row[string] | undefined): string | undefined {
  return value === null || value === undefined ? undefined : String(value);
}
