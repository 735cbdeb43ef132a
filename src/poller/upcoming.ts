import type { ActionTarget, Artifact, Plan } from '../core/index.ts';
import { replacementOf } from '../core/decision/decision.ts';
import { waitsForMoment } from '../core/decision/timing-policies.ts';
import { artifactOf } from '../core/plan/action.ts';
import type { MachineMemory } from '../core/plan/machine-memory.ts';
import { keyOf } from '../core/plan/target.ts';
import type { UpdateTerms } from '../core/machine/update-policy.ts';
import { decisionsIn } from './begun.ts';
import type { ConfigurationSource } from './configuration-source.ts';
import type { moduleSetups } from './module-setup.ts';

/** A release that a plan deploys, now or once nothing holds it. */
export interface Upcoming {
  readonly target: ActionTarget;
  readonly version: string;
  /** Its file; undefined if the registry lists none for the machine's platform. */
  readonly artifact: Artifact | undefined;
  /** The folder of its package. */
  readonly root: string;
  readonly terms: UpdateTerms;
  /** Whether nothing but timing holds it (D78). */
  readonly isTimed: boolean;
}

interface Context {
  readonly configuration: Pick<ConfigurationSource, 'current'>;
  readonly setupOf: ReturnType<typeof moduleSetups>;
}

/** The releases that `plan` deploys. An address is none: its file may be another one by then. */
export function upcomingIn(
  plan: Plan,
  { open }: MachineMemory,
  { configuration, setupOf }: Context,
): Upcoming[] {
  const delivered = open.filter(({ state }) => state === 'delivered');
  const busy = new Set(delivered.map(({ action }) => keyOf(action.target)));
  return decisionsIn(plan).flatMap(({ target, decision }) => {
    const replacement = replacementOf(decision);
    if (!replacement || replacement.direction === 'restart' || 'url' in replacement.to) return [];
    const version = replacement.to.version.text;
    const artifact = artifactOf(replacement, decision.input.eligibility.platform);
    const setup = setupOf({ target, to: version, artifact }, configuration.current, undefined);
    const { terms, folders } = setup;
    if (folders.root === undefined) return [];
    const isTimed =
      decision.kind === 'hold' &&
      !busy.has(keyOf(target)) &&
      decision.because.every(waitsForMoment);
    return [{ target, version, artifact, root: folders.root, terms, isTimed }];
  });
}
