import { describeChange, describeDecision } from '../../core/index.ts';
import { describeAddress } from '../../core/explanation/decision-words.ts';
import { summarizeDecision } from '../../core/explanation/plan-words.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import { withReadableTimes } from '../../core/text/time-words.ts';
import { labelFor } from '../machine-row.ts';
import type { Rollback } from './rollback.ts';

/** What a rollback does, for a person: `modreg rollback` and the page show the same. */
export function rollbackLines(rollback: Rollback): string[] {
  return linesOf(rollback).map((line) => withReadableTimes(line, rollback.times));
}

function linesOf({ row, from, to, found, until, has }: Rollback): string[] {
  const end = until === undefined ? '' : `, until ${formatTime(until)}`;
  const isWaiting = 'waitsFor' in found && found.waitsFor !== undefined;
  const when = isWaiting ? 'once its release list can be read' : 'at the next decision';
  const head = `${labelFor(row)} rolls back from ${from} to ${to} ${when}${end}`;
  const first = has
    ? [
        `  first    the agent ends ${has.action.from ?? 'none'} → ${describeAddress(has.action.to)}, which it has`,
      ]
    : [];
  if ('decision' in found) {
    const { decision, afterwards, next } = found;
    return [
      head,
      ...first,
      `  because  ${describeDecision(decision)}`,
      `  then     ${summarizeDecision(afterwards)}: ${describeDecision(afterwards)}`,
      ...(next ? [`  next     ${describeChange(next)}`] : []),
    ];
  }
  return [
    head,
    ...first,
    ...(found.waitsFor === undefined ? [] : [`  waits    ${found.waitsFor}`]),
    `  its release list is not known here, so every version above ${to} and up to ${from} is refused; a higher one may replace ${to}`,
  ];
}
