import type { JudgedMachine, JudgedModule } from '../support/judged-machine.ts';
import type { Desired } from './desired.ts';
import type { Case } from './expectation.ts';
import { listsFor, type JudgeContext } from './judge-context.ts';
import { keyOf, knownOf, SERVER, termsOf, type Ledger, type Target } from './ledger.ts';
import { neededBy } from './needs.ts';
import { UNCLEAR_LIMIT_MS, type Facts, type SeenHold, type Span, type Status } from './orders.ts';
import type { Moment } from './timeline.ts';

/*
 * What holds a target at a moment: operators (D75), modules (D77), the server, and how long all that may last (D79). Some of it is
 * uncertain, because the clock was set, or while a program is asked.
 */

/** A wall clock that is so far from the monotonic one was set. */
const OUT_OF_STEP_MS = 5 * 60_000;
/** Two clocks differ by a fraction of a millisecond. */
const ROUNDING_MS = 2;

/** The least and the most elapsed time that counts. */
function passedSince(
  { isClockRight, plannedSince }: Ledger,
  began: Span,
  { elapsed, gainedMs, settings, setAt, isDrifting }: Moment,
): readonly [least: number, most: number] {
  const passed = elapsed - began.elapsed;
  if (isClockRight && settings === began.settings && !isDrifting)
    return [passed - ROUNDING_MS, passed + ROUNDING_MS];
  const steadySince = Math.max(began.elapsed, setAt, plannedSince);
  return [elapsed - steadySince - OUT_OF_STEP_MS, passed + gainedMs - began.gainedMs + ROUNDING_MS];
}

type Certainty = readonly boolean[];
const YES: Certainty = [true];
const NO: Certainty = [false];
const MAYBE: Certainty = [true, false];

function lasts(ledger: Ledger, { began, longestMs, endsAt }: SeenHold, moment: Moment): Certainty {
  const [least, most] = passedSince(ledger, began, moment);
  if (least >= longestMs) return NO;
  if (endsAt !== undefined && !ledger.isClockRight) return MAYBE;
  if (endsAt !== undefined && moment.wall >= endsAt) return NO;
  return most < longestMs ? YES : MAYBE;
}

/** Whether an operator holds a target. (D75) */
function isHeld(ledger: Ledger, target: Target, moment: Moment): Certainty {
  const of = [keyOf(target), 'machine'].flatMap((key) => {
    const hold = ledger.holds.get(key);
    return hold ? [lasts(ledger, hold, moment)] : [];
  });
  const all = new Set(of);
  if (all.has(YES)) return YES;
  return all.has(MAYBE) ? MAYBE : NO;
}

/** Whether a hold may have ended. */
export function mayHaveEnded(ledger: Ledger, hold: SeenHold, moment: Moment): boolean {
  return lasts(ledger, hold, moment) !== YES;
}

/** Whether replacements of a target have been held for the longest time. (D79) */
function isOverdue(ledger: Ledger, target: Target, moment: Moment): Certainty {
  const { desired, heldSince } = ledger;
  const longestMs = desired && termsOf(desired, target.name).longestHoldMs;
  const held = heldSince.get(keyOf(target));
  if (longestMs === undefined || held?.moduleId !== target.moduleId) return NO;
  const [least, most] = passedSince(ledger, held.began, moment);
  if (most < longestMs) return NO;
  const isSame = held.running === knownOf(ledger, target).running;
  return least >= longestMs && isSame ? YES : MAYBE;
}

/** The entries that stop with a target. */
function stoppedWith(desired: Desired, target: Target): string[] {
  if (target.kind === 'subsystem' && target.name !== SERVER.name) return [];
  return desired.modules
    .filter(
      ({ name, moduleId }) =>
        target.name === SERVER.name ||
        name === target.name ||
        neededBy(desired, { kind: 'module', name, moduleId }).has(target.moduleId),
    )
    .map(({ name }) => name);
}

type Vetoes = JudgedModule['vetoes'] & object;

function isNewConfig({ desiredSince }: Ledger, elapsed: number): boolean {
  return elapsed - desiredSince <= UNCLEAR_LIMIT_MS;
}

/** Whether the agent asks programs, and what an unclear answer means. It may have asked by the config before. */
function askingNow(ledger: Ledger, elapsed: number): Desired['asking'] {
  const { desired, desiredBefore } = ledger;
  return desired?.asking ?? (isNewConfig(ledger, elapsed) ? desiredBefore?.asking : undefined);
}

/** The vetoes against a target. Those that nobody needs to have asked for are uncertain. (D77) */
function vetoesAgainst(
  { ledger, standing, moment }: Pick<JudgeContext, 'ledger' | 'standing' | 'moment'>,
  target: Target,
): Vetoes[] {
  const { desired, answers, wishes, desiredSince } = ledger;
  const { elapsed } = moment();
  const isNew = isNewConfig(ledger, elapsed);
  const asking = askingNow(ledger, elapsed);
  if (!desired || asking === undefined) return [[]];
  const { despite = [] } = wishes.get(keyOf(target)) ?? {};
  const [certain, possible]: [Vetoes[number][], Vetoes[number][]] = [[], []];
  for (const by of stoppedWith(desired, target)) {
    const { allowedAt = -Infinity, last } = answers.get(by) ?? {};
    const ready = standing().get(by);
    const isRecent = last !== undefined && elapsed - last.at <= UNCLEAR_LIMIT_MS;
    if (!isRecent) {
      const isAsked =
        ready &&
        !ready.isShaky &&
        elapsed - Math.max(ready.readyAt, desiredSince) > UNCLEAR_LIMIT_MS;
      // It may not be stopped as nobody has asked it.
      if (isAsked === true) certain.push({ isOverridable: false, isNamed: false });
      continue;
    }
    const { status } = last;
    if (status === 'unclear' ? asking === 'allow' : status.isAllowed) continue;
    const { reason, isOverridable = false }: Exclude<Status, 'unclear' | 'hangs'> =
      status === 'unclear' ? { isAllowed: false, reason: UNCLEAR, isOverridable: true } : status;
    const veto = {
      isOverridable,
      isNamed: despite.some((one) => one.by === by && one.said === reason),
    };
    const isCertain = ready && !ready.isShaky && elapsed - allowedAt > UNCLEAR_LIMIT_MS;
    (isCertain === true ? certain : possible).push(veto);
  }
  if (isNew) return [[], [...certain, ...possible]];
  return possible.length === 0 ? [certain] : [certain, [...certain, ...possible]];
}

const UNCLEAR = 'it does not say whether it may be stopped';

/** What the agent says about maintenance: more than one answer while a module may have been asked at the same time. (D29) */
function maintenanceNow(ledger: Ledger, { elapsed }: Moment): JudgedMachine['answer'][] {
  const { asksForMaintenance, maintenance, allowedAt = -Infinity } = ledger;
  if (!asksForMaintenance) return [undefined];
  const limitMs = askingNow(ledger, elapsed) === undefined ? 0 : UNCLEAR_LIMIT_MS;
  const isRecent = maintenance && elapsed - maintenance.at <= limitMs;
  const answer = isRecent ? maintenance.answer : 'timed-out';
  return elapsed - allowedAt <= limitMs ? [...new Set(['allowed', answer])] : [answer];
}

/** The cases that a decision about a target may be made in. */
export function casesFor(
  context: Pick<JudgeContext, 'ledger' | 'standing' | 'moment'>,
  of: Omit<Case, 'facts' | 'moment'>,
  moment: Moment = context.moment(),
): Case[] {
  const { ledger } = context;
  const { target } = of;
  const wish = ledger.wishes.get(keyOf(target));
  const answers = maintenanceNow(ledger, moment);
  return isHeld(ledger, target, moment).flatMap((held) =>
    isOverdue(ledger, target, moment).flatMap((overdue) =>
      vetoesAgainst(context, target).flatMap((vetoes) =>
        answers.map((answer): Case => {
          const facts: Facts = {
            isHeld: held,
            isOverdue: overdue,
            vetoes,
            answer,
            wish: wish?.moduleId === target.moduleId ? wish : undefined,
          };
          return Object.assign({ moment, facts }, of);
        }),
      ),
    ),
  );
}

/** The same for each list that a decision may rest on. */
export function casesNow(
  context: JudgeContext,
  of: Omit<Case, 'facts' | 'moment' | 'list'>,
): Case[] {
  return listsFor(context, of.target).flatMap((list) => casesFor(context, { ...of, list }));
}
