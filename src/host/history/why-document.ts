import { formatTime } from '../../core/text/rfc3339.ts';
import { openAsJson } from '../open-action.ts';
import type { DecisionsAbout } from './past-decisions.ts';
import type { ToldDecision } from './told-history.ts';

/** Decisions about a module as JSON, schema `modreg/why@1`. */
export function whyDocument({ row, told, failing }: DecisionsAbout): object {
  const { name, moduleId } = row;
  const [decisions, action] = [told.map(asJson), openAsJson(failing)];
  return { schema: 'modreg/why@1', name, module_id: moduleId, decisions, action };
}

function asJson({ past, event, causes }: ToldDecision): object {
  const { since, first } = past;
  return {
    at: formatTime(since),
    event,
    constraint: first.constraint ?? null,
    deployed: first.deployed,
    target: first.target ?? null,
    decision: first.decision,
    reason: first.reason,
    until: first.until === undefined ? null : formatTime(first.until),
    causes,
    newest: first.newest ?? null,
    list_digest: first.list?.digest ?? null,
  };
}
