import { describeDecision } from '../../core/index.ts';
import { replacementOf, wordFor } from '../../core/decision/decision.ts';
import { untilOf } from '../../core/explanation/plan-words.ts';
import type { LoggedDecision } from '../../core/plan/logged-decisions.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import { changeAsJson, heldAsJson } from '../plan/plan-document.ts';
import type { Restart } from './restart.ts';

/** A requested restart as JSON, schema `modreg/restart@1`. */
export function restartDocument({ row, request, effect, has }: Restart): object {
  const known = 'unknown' in effect ? undefined : effect;
  const { decision, afterwards, next, hasList } = known ?? {};
  const until = decision && untilOf(decision);
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
    until: until === undefined ? null : formatTime(until),
    afterwards: afterwards
      ? { decision: wordFor(afterwards), reason: describeDecision(afterwards) }
      : null,
    next_change: next ? changeAsJson(next) : null,
    list_known: hasList ?? false,
    first: has?.action.id ?? null,
  };
}

/** A withdrawn request as JSON, schema `modreg/restart-cancel@1`. */
export function cancelDocument({ name, moduleId }: LoggedDecision): object {
  return { schema: 'modreg/restart-cancel@1', name, module_id: moduleId };
}
