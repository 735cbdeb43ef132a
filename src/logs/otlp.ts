import { createHash } from 'node:crypto';
import type { LogRecord, Severity, StoredRecord } from './log-record.ts';

/** What sends the records: the attributes of the OTLP resource. */
export interface LogSource {
  /** The id of the machine. */
  readonly machineId: string;
  readonly host: string;
  /** The version of modreg. */
  readonly version: string;
}

/** The severity numbers of OpenTelemetry. */
const SEVERITY_NUMBERS: Readonly<Record<Severity, number>> = { info: 9, warn: 13, error: 17 };

/** A request of OTLP/HTTP: the JSON of an ExportLogsServiceRequest with `records`, each encoded by `otlpRecord`. */
export function otlpRequest({ machineId, host, version }: LogSource, records: string[]): string {
  const resource = attributes({
    'service.name': 'modreg-agent',
    'service.version': version,
    'service.instance.id': machineId,
    'host.name': host,
  });
  const scope = JSON.stringify({ name: 'modreg', version });
  return `{"resourceLogs":[{"resource":${JSON.stringify({ attributes: resource })},"scopeLogs":[{"scope":${scope},"logRecords":[${records.join()}]}]}]}`;
}

/** The JSON of a LogRecord. `uid` is the same each time it is sent. */
export function otlpRecord(record: LogRecord, uid: string): string {
  const { at, severity, module, version, event, text } = record;
  return JSON.stringify({
    // The agent writes a line when it sees it, so both times are the same. JSON has no number of so many digits.
    timeUnixNano: `${at}000000`,
    observedTimeUnixNano: `${at}000000`,
    severityNumber: SEVERITY_NUMBERS[severity],
    severityText: severity.toUpperCase(),
    ...(event === undefined ? {} : { eventName: event }),
    body: { stringValue: text },
    attributes: attributes({
      'log.record.uid': uid,
      'modreg.module': module,
      'modreg.version': version,
    }),
  });
}

function attributes(values: Readonly<Record<string, string | undefined>>): object[] {
  return Object.entries(values).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: { stringValue: value } }],
  );
}

/**
 * The id of a record of the log `logId`: a UUID of version 8, made of the SHA-256 of what tells the record from all others. A copy
 * of the file on another machine has other records under the same numbers.
 */
export function recordUid(logId: string, { id, at, module = '', text }: StoredRecord): string {
  const hex = createHash('sha256').update([logId, id, at, module, text].join('\n')).digest('hex');
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 3) | 8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}
