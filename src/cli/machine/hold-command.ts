import { failed, type Outcome } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import {
  endedHoldLines,
  holdDocument,
  setHoldLines,
  unholdDocument,
} from '../../host/requests/hold-words.ts';
import { commandFor, endHold, setHold } from '../../host/requests/holds.ts';
import { jsonLine } from '../base/answer-json.ts';
import { operatorIn } from '../base/operator.ts';

export interface HoldOptions {
  readonly json?: true;
  readonly for?: string;
  readonly until?: string;
  readonly reason: string;
}

/** `modreg hold [module]`: nothing is installed, upgraded, downgraded or restarted until the hold ends. */
export function holdCommand(
  named: string | undefined,
  { json, for: duration, until, reason }: HoldOptions,
  world: World,
): Outcome {
  const by = operatorIn(world);
  const set = setHold({ named, for: duration, until, reason, by }, world);
  if (!set.ok) return failed(...set.error);
  return {
    answer: json ? [jsonLine(holdDocument(set.value))] : setHoldLines(set.value),
    notes: json ? [] : [`note: ${commandFor(set.value.hold)} ends this`],
    problems: [],
  };
}

/** `modreg unhold [module]`: ends a hold before its time. */
export function unholdCommand(
  named: string | undefined,
  { json }: Pick<HoldOptions, 'json'>,
  world: World,
): Outcome {
  const ended = endHold(named, world);
  if (!ended.ok) return failed(...ended.error);
  const answer = json ? [jsonLine(unholdDocument(ended.value))] : endedHoldLines(ended.value);
  return { answer, notes: [], problems: [] };
}
