import { formatTime } from '../core/text/rfc3339.ts';
import type { LogPart } from '../host/machine-log.ts';
import type { HistoryEntry } from './paged-machine.ts';

/** Decisions of the past as JSON, schema `modreg/history@1`. */
export function historyDocument(entries: readonly HistoryEntry[]): object {
  const decisions = entries.map((entry) => ({
    at: formatTime(entry.at),
    name: entry.name,
    event: entry.event,
    reason: entry.why,
    causes: entry.causes,
    decision: entry.decision,
    deployed: entry.deployed,
    target: entry.target ?? null,
  }));
  return { schema: 'modreg/history@1', decisions };
}

/** A part of a log as JSON, schema `modreg/logs@1`. */
export function logDocument({ records, dropped }: LogPart): object {
  return {
    schema: 'modreg/logs@1',
    records: records.map(({ id, at, severity, module, version, event, text }) => ({
      id,
      at: formatTime(at),
      level: severity,
      module: module ?? null,
      version: version ?? null,
      event: event ?? null,
      text,
    })),
    dropped: dropped ? { count: dropped.count, newest_at: formatTime(dropped.newestAt) } : null,
  };
}
