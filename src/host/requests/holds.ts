import type { Result } from '../../core/index.ts';
import {
  holdsInForce,
  type ClockReading,
  type RecordedHold,
} from '../../core/decision/operator-hold.ts';
import type { OpenAction } from '../../core/plan/committed-action.ts';
import type { LoggedDecision } from '../../core/plan/logged-decisions.ts';
import { excerpt, quote } from '../../core/text/quote.ts';
import type { TimeContext } from '../../core/text/time-words.ts';
import { machineStateIn, type MachineState } from '../../store/machine-state.ts';
import type { Problem } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import { clockReading } from '../clock-reading.ts';
import { labelFor, rowNamed } from '../machine-row.ts';
import { inFile } from '../open-state.ts';
import { timesOn } from '../time-zones.ts';
import { checkedWish, type HoldWish } from './hold-wish.ts';

/** A hold that has not ended. */
export interface HoldInForce extends RecordedHold {
  /** `this machine`, or the label of the module or subsystem. */
  readonly label: string;
  /** When it ends, by the machine's clock; undefined while that is not certain. */
  readonly until: number | undefined;
}

/** The holds of operators on this machine. */
export interface Holds {
  readonly holds: readonly HoldInForce[];
  readonly times: TimeContext;
}

/** The holds that have not ended. */
export function holdsIn(state: MachineState, reading: ClockReading): readonly HoldInForce[] {
  const rows = state.decisions();
  return state
    .memory()
    .holds.filter((hold) => holdsInForce([hold], reading).length > 0)
    .map((hold) => shownHold(hold, rows, reading));
}

export function holdsOn(world: World): Result<Holds, Problem[]> {
  return inFile(world, 'read', (file) => {
    const state = machineStateIn(file);
    const holds = holdsIn(state, clockReading(world));
    return { ok: true, value: { holds, times: timesOn(state, world)('') } };
  });
}

function shownHold(
  hold: RecordedHold,
  rows: readonly LoggedDecision[],
  reading: ClockReading,
): HoldInForce {
  const [held] = holdsInForce([hold], reading);
  return { ...hold, label: labelOf(hold.of, rows), until: held?.until };
}

function labelOf(of: RecordedHold['of'], rows: readonly LoggedDecision[]): string {
  if (of.kind === 'machine') return 'this machine';
  const row = rows.find((one) => isNamed(of, one));
  return row ? labelFor(row) : excerpt(of.name);
}

/** A hold that was set. */
export interface SetHold {
  readonly hold: HoldInForce;
  /** The hold whose place it takes. */
  readonly replaced: HoldInForce | undefined;
  /** What the agent has of what is held: it is not begun any more, or it is finished (D72). */
  readonly has: readonly OpenAction[];
  readonly times: TimeContext;
}

/** Why a hold of the same stays, so that nothing is set: for the site of the machine (D299, D434). */
interface HoldRule {
  readonly refusal?: (hold: HoldInForce, wished: HoldInForce) => Problem | undefined;
}

/** Holds a module, a subsystem or the machine, in place of an earlier hold of it (D75). */
export function setHold(wish: HoldWish & HoldRule, world: World): Result<SetHold, Problem[]> {
  const reading = clockReading(world);
  const { now, clock } = reading;
  const end = checkedWish(wish, now);
  if (!end.ok) return end;
  return inFile(world, 'write', (file) => {
    const state = machineStateIn(file);
    const of = heldIn(wish.named, state);
    if (!of.ok) return of;
    const { by, reason: because } = wish;
    const counted = { elapsedMs: 0, countedAt: clock ? undefined : now };
    const words = { by: by.trim(), because: because.trim() };
    const hold = { of: of.value, ...words, since: now, ...end.value, ...counted };
    const replaced = holdsIn(state, reading).find((one) => isNamed(of.value, one.of));
    const shown = shownHold(hold, state.decisions(), reading);
    const refusal = replaced && wish.refusal?.(replaced, shown);
    if (refusal) return { ok: false, error: [refusal] };
    state.setHold(hold);
    const has = state
      .memory()
      .open.filter(
        ({ action: { target, direction }, ...one }) =>
          one.state === 'delivered' &&
          direction !== 'rollback' &&
          (of.value.kind === 'machine' || isNamed(of.value, target)),
      );
    return { ok: true, value: { hold: shown, replaced, has, times: timesOn(state, world)('') } };
  });
}

/** A hold that an operator ended. */
export interface EndedHold {
  readonly hold: HoldInForce;
  /** The hold of the whole machine, if it still holds the same. */
  readonly still: HoldInForce | undefined;
  readonly times: TimeContext;
}

/** Ends a hold before its time. */
export function endHold(
  named: string | undefined,
  world: World,
  { mayEnd }: { readonly mayEnd?: (hold: HoldInForce) => boolean } = {},
): Result<EndedHold, Problem[]> {
  const reading = clockReading(world);
  return inFile(world, 'write', (file) => {
    const state = machineStateIn(file);
    const holds = holdsIn(state, reading);
    const known = holds.find(({ of }) => of.kind !== 'machine' && of.name === named);
    const of = known ? ({ ok: true, value: known.of } as const) : heldIn(named, state);
    if (!of.ok) return of;
    const hold = holds.find((one) => isNamed(of.value, one.of));
    const still = holds.find((one) => one.of.kind === 'machine' && one !== hold);
    if (!hold) return { ok: false, error: [notHeld(labelOf(of.value, state.decisions()), holds)] };
    if (mayEnd && !mayEnd(hold)) return { ok: false, error: [heldHere(hold)] };
    state.endHold(of.value);
    return { ok: true, value: { hold, still, times: timesOn(state, world)('') } };
  });
}

/** A hold that its site neither replaces nor ends. */
export function heldHere(hold: HoldInForce): Problem {
  const { label, by, because } = hold;
  const who = `${excerpt(by)}, who did so on the machine: ${quote(because)}`;
  const message = `${label} is held by ${who}; nothing was changed`;
  const hint = `${commandFor(hold)} on the machine ends that`;
  return { severity: 'error', kind: 'held', message, hint };
}

function notHeld(label: string, holds: readonly HoldInForce[]): Problem {
  const message = `no operator holds ${label}; nothing was changed`;
  const held = holds.map((one) => `${one.label} (${commandFor(one)})`).join(', ');
  const hint = held === '' ? 'no hold is set' : `held are ${held}`;
  return { severity: 'error', kind: 'not-recorded', message, hint };
}

/** The command that ends a hold. */
export function commandFor({ of }: Pick<RecordedHold, 'of'>): string {
  return of.kind === 'machine' ? 'modreg unhold' : `modreg unhold ${excerpt(of.name)}`;
}

function heldIn(
  named: string | undefined,
  state: MachineState,
): Result<RecordedHold['of'], Problem[]> {
  if (named === undefined) return { ok: true, value: { kind: 'machine', name: '' } };
  const row = rowNamed(named, state.decisions());
  if (!row.ok) return row;
  const { kind, name } = row.value;
  return { ok: true, value: { kind, name } };
}

function isNamed({ kind, name }: RecordedHold['of'], one: RecordedHold['of']): boolean {
  return kind === one.kind && name === one.name;
}
