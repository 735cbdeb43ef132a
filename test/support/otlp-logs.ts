import { createHash } from 'node:crypto';
import { otlpRecord, otlpRequest } from '../../src/logs/otlp.ts';
import type { LogRecord } from '../../src/logs/log-record.ts';

/** The time of the test registry. */
export const NOW: number = Date.parse('2026-11-21T01:02:03Z');

/** A line of a log. */
export function line(text: string, rest: Partial<LogRecord> = {}): LogRecord {
  return { at: NOW, severity: 'info', module: undefined, text, ...rest };
}

/** The id of a record that has this text. */
function uidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20, 32),
  ].join('-');
}

/** A request with these lines, as the exporter makes it; it says that it is of `machineId`. */
export function exported(lines: readonly LogRecord[], machineId = 'rover-7'): string {
  const source = { machineId, host: 'host', version: '0.1.0' };
  return otlpRequest(
    source,
    lines.map((one) => otlpRecord(one, uidOf(`${one.at} ${one.text}`))),
  );
}
