import type { Plan } from '../core/index.ts';
import type { Decision } from '../core/decision/decision.ts';
import type { Deployed } from '../core/decision/deployed.ts';
import type { HeldReplacement } from '../core/decision/longest-hold.ts';
import type { ClockReading } from '../core/decision/operator-hold.ts';
import { waitsForMoment } from '../core/decision/timing-policies.ts';
import { reportedText } from '../core/explanation/decision-words.ts';
import type { MachineMemory } from '../core/plan/machine-memory.ts';
import { keyOf } from '../core/plan/target.ts';
import { decisionsIn } from './begun.ts';
import type { HoldCounts } from './hold-counts.ts';
import type { StateAccess } from './state-access.ts';

/** What is read and written. */
interface Context {
  readonly memory: MachineMemory;
  readonly state: StateAccess;
  readonly counts: HoldCounts;
  readonly reading: ClockReading;
}

/** Records since when the replacements of `plan` are held, and forgets what is held no longer (D79). */
export function noteHeld(plan: Plan, { memory, state, counts, reading }: Context): void {
  const kept = new Set<string>();
  for (const { target, decision } of decisionsIn(plan)) {
    const before = memory.of(target).held;
    const held = heldAfter(before, decision, reading);
    if (!held) continue;
    kept.add(keyOf(target));
    // A time that is not certain counts from the first plan, not from the next one.
    const counted = counts.countedHeld(target, held, reading);
    const isDue = held !== before || counts.isWritingDue(held, counted);
    if (isDue) state.write((to) => to.noteHeld(target, counted));
  }
  for (const target of memory.held) {
    if (!kept.has(keyOf(target))) state.write((to) => to.endHeld(target));
  }
}

/**
 * Newer releases, other reasons and an attempt that changed nothing do not begin the time again. Another deployed version ends it, and so does a
 * decision to keep the deployed one.
 */
function heldAfter(
  before: HeldReplacement | undefined,
  decision: Decision,
  { now, clock }: ClockReading,
): HeldReplacement | undefined {
  if (decision.kind === 'keep') return undefined;
  const { deployed } = decision.input;
  if (before && isHeldStill(before, deployed)) return before;
  // What the policy refuses waits for no moment (D18).
  const isTimed = decision.kind === 'hold' && decision.because.every(waitsForMoment);
  if (!isTimed) return undefined;
  return {
    deployed: heldText(deployed),
    since: now,
    elapsedMs: 0,
    countedAt: clock ? undefined : now,
  };
}

/** Whether what is held is a replacement of the version that is deployed now: another one ends the time (D79). */
export function isHeldStill(held: HeldReplacement, deployed: Deployed): boolean {
  return deployed.kind === 'unknown' || held.deployed === heldText(deployed);
}

function heldText(deployed: Deployed): string {
  return reportedText(deployed) ?? deployed.kind;
}
