import type { Decision } from '../../core/index.ts';
import { replacementOf } from '../../core/decision/decision.ts';
import {
  decisionWords,
  describeAddress,
  describeTarget,
} from '../../core/explanation/decision-words.ts';
import { changeWords, summarizeDecision } from '../../core/explanation/plan-words.ts';
import type { OpenAction } from '../../core/plan/committed-action.ts';
import { sameAsWords } from '../../core/explanation/words.ts';
import { suspensionOf, type QuarantineEntry } from '../../core/plan/machine-memory.ts';
import { passing, readable, say, type Said, type TimeContext } from '../../core/text/time-words.ts';
import { firstFew } from '../../core/text/few.ts';
import { countOf } from '../../base/count.ts';
import { labelFor } from '../machine-row.ts';
import type { Lifted } from './quarantine.ts';
import type { Restart } from './restart.ts';
import type { Rollback } from './rollback.ts';

/** What a request for a restart does, for a person: `modreg restart` and the page show the same. */
export function restartLines(restart: Restart): string[] {
  return linesOfRestart(restart).map((line) => readable(line, restart.times));
}

function linesOfRestart(restart: Restart): Said[] {
  const { row, deployed, effect, has, isPolled, staysImmediate } = restart;
  const label = labelFor(row);
  // The request that waited is the one that counts (D376).
  const stays = staysImmediate ? ': the immediate restart requested before stays' : '';
  // What was delivered comes first, whatever is decided (D41).
  if (has) return [`${label} restarts ${changeOf(has)}${stays}`];
  if ('unknown' in effect) {
    const head = `${label} restarts ${deployed} once that is decided${stays}`;
    return [head, `  what holds it is not known here: ${effect.unknown}`];
  }
  const { decision, afterwards, next, hasList } = effect;
  return [
    `${label} restarts ${whenOf(decision, { deployed, isPolled })}${stays}`,
    say`  because  ${decisionWords(decision)}`,
    ...(afterwards && hasList
      ? [say`  then     ${summarizeDecision(afterwards)}: ${decisionWords(afterwards)}`]
      : []),
    ...(next && (hasList || !afterwards) ? [say`  next     ${changeWords(next)}`] : []),
    ...(hasList
      ? []
      : ['  its release list is not known here; a replacement that is due comes first']),
  ];
}

/** When what is due begins: the process that polls sees a request within a second (D75, D386). */
export function beginsWhen({ isPolled }: Pick<Restart, 'isPolled'>): string {
  return isPolled ? 'within a second' : 'at the next start of the agent';
}

/** `1.2.3 within a second`, `with the upgrade to 1.2.9 …`, `1.2.3 once nothing holds it`. */
function whenOf(
  decision: Decision,
  { deployed, ...polled }: Pick<Restart, 'deployed' | 'isPolled'>,
): string {
  const replacement = replacementOf(decision);
  const isRestart = !replacement || replacement.direction === 'restart';
  const change = isRestart
    ? deployed
    : `with the ${replacement.direction} to ${describeTarget(replacement)}`;
  if (decision.kind === 'replace') return `${change} ${beginsWhen(polled)}`;
  return isRestart ? `${deployed} once nothing holds it` : 'once nothing holds it';
}

function changeOf({ action: { from, to, direction } }: OpenAction): string {
  return direction === 'restart'
    ? `${describeAddress(to)}: the agent has that restart already`
    : `with the ${direction} ${from ?? 'none'} → ${describeAddress(to)}, which the agent has`;
}

/** What a rollback does, for a person: `modreg rollback` and the page show the same. */
export function rollbackLines(rollback: Rollback): string[] {
  return linesOfRollback(rollback).map((line) => readable(line, rollback.times));
}

function linesOfRollback(rollback: Rollback): Said[] {
  const { row, from, to, found, has, isPolled } = rollback;
  const isWaiting = 'waitsFor' in found && found.waitsFor !== undefined;
  const when = isWaiting ? 'once its release list can be read' : beginsWhen({ isPolled });
  const head = say`${labelFor(row)} rolls back from ${from} to ${to} ${when}${endWords(rollback)}`;
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
      say`  because  ${decisionWords(decision)}`,
      say`  then     ${summarizeDecision(afterwards)}: ${decisionWords(afterwards)}`,
      ...(next ? [say`  next     ${changeWords(next)}`] : []),
    ];
  }
  return [
    head,
    ...first,
    ...(found.waitsFor === undefined ? [] : [`  waits    ${found.waitsFor}`]),
    `  its release list is not known here, so every version above ${to} and up to ${from} is refused; a higher one may replace ${to}`,
  ];
}

/** When a rollback ends, and which one it replaces, with the end of that one (D377). */
function endWords({ until, replaces }: Rollback): Said {
  const end = until === undefined ? '' : say`, until ${passing(until)}`;
  if (!replaces) return end;
  const to = replaces.rolledBack?.to;
  const earlier = to ? `the rollback to ${to.text}` : 'an earlier rollback';
  const last = replaces.until === undefined ? UNTIL_LIFTED : say`until ${passing(replaces.until)}`;
  return say`${end || `, ${UNTIL_LIFTED}`}, in place of ${earlier} that lasts ${last}`;
}

/** What ends a quarantine that has no end. */
const LIFTED = 'an operator lifts it';
const UNTIL_LIFTED = `until ${LIFTED}`;

/** Why a version is in quarantine, for a person. */
export function whyText(entry: QuarantineEntry): string {
  const suspension = suspensionOf(entry);
  const isInUse = entry.entries?.some((one) => one.isInUse) === true;
  if (!suspension) return `${isInUse ? 'it is in use all the same: ' : ''}${entry.reason}`;
  const other = sameAsWords(suspension.sameAs);
  const when = suspension.state === 'waiting' ? `once ${other} works` : 'now';
  const next = isInUse ? 'it is in use' : `it may be tried again ${when}`;
  return `undecided: ${other} fails in the same way, ${next}: ${entry.reason}`;
}

interface QuarantineEnd {
  readonly until?: number | undefined;
  /** That of the file that was refused; another file may be selected. */
  readonly digest?: string | undefined;
}

/** When a quarantine ends, with its time as data. */
export function quarantineEnd({ until, digest }: QuarantineEnd): Said {
  if (until !== undefined) return passing(until);
  return digest === undefined ? LIFTED : `${LIFTED}, or another digest`;
}

/** The same for a person, also of one that has ended. */
export function untilText(entry: QuarantineEnd, context: TimeContext): string {
  const { until = Infinity } = entry;
  return until <= context.now ? 'expired' : readable(quarantineEnd(entry), context);
}

/** How many versions are named. */
const NAMED = 5;

/** What lifting a version from quarantine does. Another entry may still refuse what a lifted one refused. */
export function liftedLine({
  moduleId,
  version,
  stillRefusedBy: term,
  freed,
  kept,
}: Lifted): string {
  const count = freed.length + kept.length;
  const share = kept.length === 0 ? 'the' : `${freed.length} of the`;
  return [
    term
      ? `${moduleId} ${version} was lifted, but the ${term.branch ? 'quarantine of' : 'rollback from'} ${term.version} still refuses it`
      : `${moduleId} ${version} may be selected again`,
    ...(freed.length === 0 || term
      ? []
      : [`, and so may ${share} ${countOf(count, 'version')} refused with it`]),
    ...(kept.length === 0 ? [] : [`; still refused: ${firstFew(kept, NAMED).join(', ')}`]),
  ].join('');
}
