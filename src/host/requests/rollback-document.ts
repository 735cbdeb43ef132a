import { describeDecision } from '../../core/index.ts';
import { wordFor } from '../../core/decision/decision.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import { changeAsJson } from '../plan/plan-document.ts';
import type { Rollback } from './rollback.ts';

/** A rollback as JSON, schema `modreg/rollback@1`. */
export function rollbackDocument({ row, from, to, found, until, has }: Rollback): object {
  const { refused } = found.rolledBack;
  const known = 'decision' in found ? found : undefined;
  return {
    schema: 'modreg/rollback@1',
    name: row.name,
    module_id: row.moduleId,
    from,
    to,
    refused: refused ? [...refused] : null,
    until: until === undefined ? null : formatTime(until),
    afterwards: known
      ? { decision: wordFor(known.afterwards), reason: describeDecision(known.afterwards) }
      : null,
    next_change: known?.next ? changeAsJson(known.next) : null,
    first: has?.action.id ?? null,
    waits_for: ('waitsFor' in found ? found.waitsFor : undefined) ?? null,
  };
}
