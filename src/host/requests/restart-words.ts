import { describeChange, describeDecision, type Decision } from '../../core/index.ts';
import { replacementOf } from '../../core/decision/decision.ts';
import { describeAddress, describeTarget } from '../../core/explanation/decision-words.ts';
import { summarizeDecision } from '../../core/explanation/plan-words.ts';
import type { OpenAction } from '../../core/plan/committed-action.ts';
import { withReadableTimes } from '../../core/text/time-words.ts';
import { labelFor } from '../machine-row.ts';
import type { Restart } from './restart.ts';

/** What a request for a restart does, for a person: `modreg restart` and the page show the same. */
export function restartLines(restart: Restart): string[] {
  return linesOf(restart).map((line) => withReadableTimes(line, restart.times));
}

function linesOf({ row, deployed, effect, has }: Restart): string[] {
  const label = labelFor(row);
  // What was delivered comes first, whatever is decided (D41).
  if (has) return [`${label} restarts ${changeOf(has)}`];
  if ('unknown' in effect) {
    const head = `${label} restarts ${deployed} once that is decided`;
    return [head, `  what holds it is not known here: ${effect.unknown}`];
  }
  const { decision, afterwards, next, hasList } = effect;
  return [
    `${label} restarts ${whenOf(decision, deployed)}`,
    `  because  ${describeDecision(decision)}`,
    ...(afterwards && hasList
      ? [`  then     ${summarizeDecision(afterwards)}: ${describeDecision(afterwards)}`]
      : []),
    ...(next && (hasList || !afterwards) ? [`  next     ${describeChange(next)}`] : []),
    ...(hasList
      ? []
      : ['  its release list is not known here; a replacement that is due comes first']),
  ];
}

/** `1.2.3 at the next decision`, `with the upgrade to 1.2.9 …`, `1.2.3 once nothing holds it`. */
function whenOf(decision: Decision, deployed: string): string {
  const replacement = replacementOf(decision);
  const isRestart = !replacement || replacement.direction === 'restart';
  const change = isRestart
    ? deployed
    : `with the ${replacement.direction} to ${describeTarget(replacement)}`;
  if (decision.kind === 'replace') return `${change} at the next decision`;
  return isRestart ? `${deployed} once nothing holds it` : 'once nothing holds it';
}

function changeOf({ action: { from, to, direction } }: OpenAction): string {
  return direction === 'restart'
    ? `${describeAddress(to)}: the agent has that restart already`
    : `with the ${direction} ${from ?? 'none'} → ${describeAddress(to)}, which the agent has`;
}
