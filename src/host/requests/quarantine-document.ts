import { describeDecision } from '../../core/index.ts';
import { wordFor } from '../../core/decision/decision.ts';
import { targetText } from '../../core/explanation/plan-words.ts';
import type { QuarantineEntry } from '../../core/plan/machine-memory.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import { describeTime, type TimeContext } from '../../core/text/time-words.ts';
import type { Lifted, Refusal } from './quarantine.ts';

/** The versions in quarantine as JSON, schema `modreg/quarantine@1`. */
export function quarantineDocument(entries: readonly QuarantineEntry[]): object {
  return { schema: 'modreg/quarantine@1', quarantine: entries.map(quarantineAsJson) };
}

export function quarantineAsJson({ rolledBack, ...entry }: QuarantineEntry): object {
  return {
    module_id: entry.moduleId,
    version: entry.version,
    digest: entry.digest ?? null,
    since: formatTime(entry.since),
    until: entry.until === undefined ? null : formatTime(entry.until),
    reason: entry.reason,
    rolled_back: rolledBack !== undefined,
    rolled_back_to: rolledBack?.to?.text ?? null,
    refused: rolledBack?.refused ? [...rolledBack.refused] : null,
  };
}

/** A new entry as JSON, schema `modreg/quarantine-add@1`. */
export function refusalDocument({ entry, concerned }: Refusal): object {
  const { moduleId, version, until, reason } = entry;
  return {
    schema: 'modreg/quarantine-add@1',
    module_id: moduleId,
    version,
    until: until === undefined ? null : formatTime(until),
    reason,
    decisions: concerned.flatMap(({ row, decision }) =>
      typeof decision === 'string'
        ? []
        : {
            name: row.name,
            decision: wordFor(decision),
            target: targetText(decision) ?? null,
            reason: describeDecision(decision),
          },
    ),
  };
}

/** A version that was lifted as JSON, schema `modreg/quarantine-lift@1`. */
export function liftDocument({ moduleId, version }: Lifted): object {
  return { schema: 'modreg/quarantine-lift@1', module_id: moduleId, version };
}

/** When an entry ends, for a person. */
export function untilText({ until, digest }: QuarantineEntry, context: TimeContext): string {
  if (until !== undefined) return until <= context.now ? 'expired' : describeTime(until, context);
  return digest === undefined ? 'an operator lifts it' : 'an operator lifts it, or another digest';
}
