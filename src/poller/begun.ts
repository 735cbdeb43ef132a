import type { ActionTarget, Plan } from '../core/index.ts';
import type { Decision, Replacement } from '../core/decision/decision.ts';
import { replacementText } from '../core/decision/replacement-text.ts';
import { decisionWords, describeAddress } from '../core/explanation/decision-words.ts';
import {
  suspensionOf,
  type MachineMemory,
  type QuarantineEntry,
} from '../core/plan/machine-memory.ts';
import { keyOf } from '../core/plan/target.ts';
import { toldAs } from '../core/text/time-words.ts';
import type { PollerEvent } from './event.ts';

/** Reports each hold and each quarantine once, when it begins. */
export class Begun {
  readonly #onEvent: (event: PollerEvent) => void;
  /** Each hold of the last plan, by its target. */
  #holds: ReadonlyMap<string, string> = new Map();
  /** Undefined until the memory was read: what was in quarantine before this process began is not reported. */
  #quarantine: ReadonlySet<string> | undefined;

  constructor(onEvent: (event: PollerEvent) => void) {
    this.#onEvent = onEvent;
  }

  /**
   * Reports the holds of `plan` that the plan before it did not have. Another end of the same hold is not reported, nor
   * one of an action that a consumer has: its delivery counts as a restart.
   */
  holdsOf(plan: Plan, { open }: MachineMemory): void {
    const before = this.#holds;
    const delivered = open.filter(({ state }) => state === 'delivered');
    const busy = new Set(delivered.map(({ action }) => keyOf(action.target)));
    const held = heldIn(plan).filter(({ target }) => !busy.has(keyOf(target)));
    this.#holds = new Map(held.map((hold) => [keyOf(hold.target), identityOf(hold)]));
    for (const hold of held) {
      if (before.get(keyOf(hold.target)) !== identityOf(hold)) this.#onEvent(eventOf(hold));
    }
  }

  /** Reports what a failure or an operator put into quarantine since the last call. */
  quarantineOf({ quarantine }: MachineMemory): void {
    const before = this.#quarantine;
    this.#quarantine = new Set(quarantine.map(entryKey));
    if (!before) return;
    for (const entry of quarantine) {
      if (before.has(entryKey(entry))) continue;
      const { moduleId, version, reason, until } = entry;
      const suspension = suspensionOf(entry);
      const undecided = suspension && { sameAs: suspension.sameAs };
      this.#onEvent({ kind: 'quarantined', moduleId, version, reason, until, undecided });
    }
  }
}

interface Hold {
  readonly target: ActionTarget;
  readonly decision: Extract<Decision, { kind: 'hold' }>;
}

/** The decision about each target that has versions. */
export function decisionsIn({
  modules,
  subsystems,
}: Plan): { readonly target: ActionTarget; readonly decision: Decision }[] {
  return [
    ...modules.map(({ name, moduleId, decision }) => {
      return { target: { kind: 'module', name, moduleId } as const, decision };
    }),
    ...subsystems.flatMap(({ target: { option, name }, decision }) =>
      option === 'disable_subsystem'
        ? []
        : { target: { kind: 'subsystem', name } as const, decision },
    ),
  ];
}

function heldIn(plan: Plan): Hold[] {
  return decisionsIn(plan).flatMap(({ target, decision }) =>
    decision.kind === 'hold' ? { target, decision } : [],
  );
}

function identityOf({ decision: { replacement, because } }: Hold): string {
  const reasons = because.map(({ reason }) => reason);
  return [replacement.direction, versionOf(replacement), ...reasons].join(' ');
}

function eventOf({ target, decision }: Hold): PollerEvent {
  const { replacement, because, until } = decision;
  const { direction } = replacement;
  const told = toldAs(decisionWords(decision));
  return { kind: 'held', target, direction, to: versionOf(replacement), because, until, ...told };
}

function versionOf(replacement: Replacement): string {
  return describeAddress(replacementText(replacement));
}

function entryKey({ moduleId, version, since }: QuarantineEntry): string {
  return `${moduleId} ${version} ${since}`;
}
