import { describeDecision } from '../../core/index.ts';
import { replacementOf, wordFor, type Decision } from '../../core/decision/decision.ts';
import { targetText, untilOf } from '../../core/explanation/plan-words.ts';
import type { LoggedDecision } from '../../core/plan/logged-decisions.ts';
import { hasFailed, type QuarantineEntry } from '../../core/plan/machine-memory.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import { changeAsJson, heldAsJson, timeOrNull } from '../plan/plan-document.ts';
import type { FloorChange } from './floors.ts';
import type { Lifted, Refusal } from './quarantine.ts';
import type { Restart } from './restart.ts';
import type { Rollback } from './rollback.ts';

/** The versions in quarantine as JSON, schema `modreg/quarantine@1`. */
export function quarantineDocument(entries: readonly QuarantineEntry[]): object {
  return { schema: 'modreg/quarantine@1', quarantine: entries.map(quarantineAsJson) };
}

export function quarantineAsJson({ rolledBack, entries, ...entry }: QuarantineEntry): object {
  return {
    module_id: entry.moduleId,
    version: entry.version,
    digest: entry.digest ?? null,
    since: formatTime(entry.since),
    until: timeOrNull(entry.until),
    reason: entry.reason,
    rolled_back: rolledBack !== undefined,
    rolled_back_to: rolledBack?.to?.text ?? null,
    refused: rolledBack?.refused ? [...rolledBack.refused] : null,
    failed_in:
      entries?.map((one) => {
        return { name: one.name, undecided: !hasFailed(one), same_as: one.sameAs ?? null };
      }) ?? null,
  };
}

/** A new entry as JSON, schema `modreg/quarantine-add@1`. */
export function refusalDocument({ entry, concerned }: Refusal): object {
  const { moduleId, version, until, reason } = entry;
  return {
    schema: 'modreg/quarantine-add@1',
    module_id: moduleId,
    version,
    until: timeOrNull(until),
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

/** A skipped floor, or one that counts again, as JSON, schema `modreg/floor-skip@1`. */
export function floorDocument({ row, version, skip, decision }: FloorChange): object {
  return {
    schema: 'modreg/floor-skip@1',
    name: row.name,
    module_id: row.moduleId,
    version,
    skipped: skip ? { by: skip.by, reason: skip.because ?? null, at: formatTime(skip.at) } : null,
    decision: typeof decision === 'string' ? null : wordFor(decision),
    target: typeof decision === 'string' ? null : (targetText(decision) ?? null),
    reason: typeof decision === 'string' ? null : describeDecision(decision),
  };
}

/** A requested restart as JSON, schema `modreg/restart@1`. */
export function restartDocument({ row, request, effect, has }: Restart): object {
  const known = 'unknown' in effect ? undefined : effect;
  const { decision, afterwards, next, hasList } = known ?? {};
  return {
    schema: 'modreg/restart@1',
    name: row.name,
    module_id: row.moduleId,
    requested_at: formatTime(request.requestedAt),
    immediate: request.isImmediate,
    decision: decision ? wordFor(decision) : null,
    direction: (decision && replacementOf(decision)?.direction) ?? null,
    reason: decision ? describeDecision(decision) : null,
    held_by: decision?.kind === 'hold' ? decision.because.map(heldAsJson) : [],
    until: timeOrNull(decision && untilOf(decision)),
    afterwards: afterwards ? decisionAsJson(afterwards) : null,
    next_change: next ? changeAsJson(next) : null,
    list_known: hasList ?? false,
    first: has?.action.id ?? null,
  };
}

/** A withdrawn request as JSON, schema `modreg/restart-cancel@1`. */
export function cancelDocument({ name, moduleId }: LoggedDecision): object {
  return { schema: 'modreg/restart-cancel@1', name, module_id: moduleId };
}

/** A rollback as JSON, schema `modreg/rollback@1`. */
export function rollbackDocument(rollback: Rollback): object {
  const { row, from, to, found, until, replaces, has } = rollback;
  const { refused } = found.rolledBack;
  const known = 'decision' in found ? found : undefined;
  return {
    schema: 'modreg/rollback@1',
    name: row.name,
    module_id: row.moduleId,
    from,
    to,
    refused: refused ? [...refused] : null,
    until: timeOrNull(until),
    afterwards: known ? decisionAsJson(known.afterwards) : null,
    next_change: known?.next ? changeAsJson(known.next) : null,
    first: has?.action.id ?? null,
    waits_for: ('waitsFor' in found ? found.waitsFor : undefined) ?? null,
    replaces: replaces
      ? { to: replaces.rolledBack?.to?.text ?? null, until: timeOrNull(replaces.until) }
      : null,
  };
}

function decisionAsJson(decision: Decision): object {
  return { decision: wordFor(decision), reason: describeDecision(decision) };
}
