import { decisionWords } from '../../core/explanation/decision-words.ts';
import { summarizeDecision } from '../../core/explanation/plan-words.ts';
import { excerpt } from '../../core/text/quote.ts';
import { readable } from '../../core/text/time-words.ts';
import { failed, usage, type Outcome } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import { labelFor } from '../../host/machine-row.ts';
import { skipFloor, unskipFloor, type FloorChange } from '../../host/requests/floors.ts';
import { floorDocument } from '../../host/requests/request-documents.ts';
import { jsonLine } from '../base/answer-json.ts';
import { operatorIn } from '../base/operator.ts';

export interface FloorSkipOptions {
  readonly json?: true;
  readonly reason?: string;
  readonly cancel?: true;
}

/** `modreg floor skip <module> <version>`: passes a floor. What the command prints is what the planner decides. */
export function floorSkipCommand(
  [named, version]: readonly [named: string, version: string],
  { json, reason, cancel }: FloorSkipOptions,
  world: World,
): Outcome {
  if (cancel && reason !== undefined) {
    return failed(usage('found --cancel and --reason, expected one of them; nothing was changed'));
  }
  const changed = cancel
    ? unskipFloor([named, version], world)
    : skipFloor({ named, version, reason, by: operatorIn(world) }, world);
  if (!changed.ok) return failed(...changed.error);
  const { row, skip } = changed.value;
  const undo = `note: modreg floor skip ${excerpt(row.name)} ${version} --cancel undoes this`;
  return {
    answer: json ? [jsonLine(floorDocument(changed.value))] : floorLines(changed.value),
    notes: json || !skip ? [] : [undo],
    problems: [],
  };
}

function floorLines({ row, version, skip, decision, times }: FloorChange): string[] {
  const label = labelFor(row);
  const done = skip ? `passes floor ${version} without running it` : `has to run floor ${version}`;
  const next =
    typeof decision === 'string'
      ? `the next decision is not known here: ${excerpt(decision)}`
      : `${summarizeDecision(decision)}: ${readable(decisionWords(decision), times)}`;
  return [`${label} ${done}`, `  ${next}`];
}
