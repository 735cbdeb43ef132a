import { compileWindows } from '../../config/window.ts';
import {
  decide,
  type Decision,
  type Refused,
  type ReleaseIndex,
  type Window,
} from '../../core/index.ts';
import { replacementOf } from '../../core/decision/decision.ts';
import { describeDecision } from '../../core/explanation/decision-words.ts';
import { describeRefused } from '../../core/explanation/words.ts';
import type { ModuleStates } from '../../registry/fleet-client.ts';
import { decodeFacts } from '../../store/facts.ts';

/** What a release would do to machines that report the same. */
type Effect =
  | {
      readonly kind: 'now' | 'later';
      /** `upgrade`, `install`, … */
      readonly direction: string;
      /** When it is due, in milliseconds since the epoch; undefined for now, or if it is not known. */
      readonly at: number | undefined;
      readonly stops: readonly string[];
    }
  /** `later-step`: its rollout does not include the machine yet. */
  | { readonly kind: 'never' | 'later-step'; readonly because: string };

export interface MachinesWithEffect {
  readonly state: ModuleStates['state'];
  readonly effect: Effect;
  readonly machines: readonly string[];
}

/** A module's releases, with the one that is asked about. */
export interface WhatIf {
  readonly index: ReleaseIndex;
  /** As published, build metadata included. */
  readonly version: string;
  /** In milliseconds since the epoch. */
  readonly now: number;
  /** Whether a release of the list is in rollout, for which each machine has a place of its own. */
  readonly isStaged: boolean;
}

/**
 * The effect of a release, by the decision that each machine would make from what it reported: decided once for all that report the
 * same, or for each if its place in a rollout matters. Restarts that already happened are not reported, so a cooldown may delay a machine further.
 */
export function effectsOf(states: readonly ModuleStates[], whatIf: WhatIf): MachinesWithEffect[] {
  const windowOf = compiledWindows();
  return states.flatMap(({ state, machines }) => {
    const effectOn = effectsFor(state, whatIf, windowOf);
    if (!whatIf.isStaged) return [{ state, effect: effectOn(undefined), machines }];
    const placed = machines.map((id) => ({ id, effect: effectOn(id) }));
    const alike = Map.groupBy(placed, ({ effect }) => JSON.stringify(effect)).values();
    return Array.from(alike, ([first, ...others]) => {
      const ids = [first, ...others].flatMap((one) => one?.id ?? []);
      return { state, effect: first?.effect ?? effectOn(undefined), machines: ids };
    });
  });
}

/** The effect that is the same on each machine. */
function never(because: string): () => Effect {
  return () => ({ kind: 'never', because });
}

/** Returns the effect on a machine that reports `state`, by its id. */
function effectsFor(
  { facts, stops, deployed }: ModuleStates['state'],
  { index, version, now }: WhatIf,
  windowOf: (rules: unknown) => Window,
): (machineId: string | undefined) => Effect {
  if (facts === null) return never('the machine does not report its policy');
  let decoded: ReturnType<typeof decodeFacts>;
  try {
    decoded = decodeFacts(facts, { index, windowOf });
  } catch (error) {
    // A bad pattern or time zone of a window throws when it is compiled.
    if (!(error instanceof Error)) throw error;
    return never('its maintenance windows cannot be read');
  }
  if ('damaged' in decoded) return never(`its report has no usable ${decoded.damaged}`);
  if (deployed === version) return never('has it already');
  const { input } = decoded;
  return (machineId) => {
    const decisionAt = (at: number): Decision =>
      decide({ ...input, eligibility: { ...input.eligibility, machineId, now: at } });
    return effectFrom(now, decisionAt, { version, stops, now });
  };
}

interface Asked extends Pick<WhatIf, 'version' | 'now'> {
  readonly stops: readonly string[];
}

/** The effect at a time, or once the version is no longer refused. */
function effectFrom(at: number, decisionAt: (at: number) => Decision, asked: Asked): Effect {
  const decision = decisionAt(at);
  const due = dueIn(decision, at, asked);
  if (due) return due;
  const refused = refusalIn(decision, asked.version);
  const until = refused && 'until' in refused ? refused.until : undefined;
  // Each end is later than the one before: a release is refused for its age, a quarantine, or both.
  if (until !== undefined && until > at) return effectFrom(until, decisionAt, asked);
  return without(decision, refused);
}

/** When `decision`, which is made at `at`, replaces what is deployed by the version; undefined if it does not. */
function dueIn(decision: Decision, at: number, { version, stops, now }: Asked): Effect | undefined {
  const replacement = replacementOf(decision);
  if (!replacement || 'url' in replacement.to) return undefined;
  const { direction, to } = replacement;
  if (to.version.text !== version || direction === 'restart') return undefined;
  const stopping = direction === 'install' ? [] : stops;
  if (decision.kind === 'hold') {
    return { kind: 'later', direction, at: decision.until, stops: stopping };
  }
  if (at === now) return { kind: 'now', direction, at: undefined, stops: stopping };
  return { kind: 'later', direction, at, stops: stopping };
}

/** Why a decision does not select `version`; undefined if its list was not resolved. */
function refusalIn({ resolution }: Decision, version: string): Refused | undefined {
  if (!resolution) return undefined;
  return firstOf(
    resolution.refused(),
    (one) => 'release' in one && one.release.version.text === version,
  );
}

/** A decision that does not deploy the version: why it is refused, else what is decided instead. */
function without(decision: Decision, refused: Refused | undefined): Effect {
  if (!refused || !decision.resolution) {
    return { kind: 'never', because: describeDecision(decision) };
  }
  if (refused.reason === 'not-in-rollout') {
    // Without the cohort, which differs from machine to machine.
    const because = `the rollout at ${refused.percent} % does not include it yet`;
    return { kind: 'later-step', because };
  }
  return { kind: 'never', because: describeRefused(refused, decision.resolution.input.constraint) };
}

function firstOf(
  refused: Iterable<Refused>,
  matches: (one: Refused) => boolean,
): Refused | undefined {
  for (const one of refused) if (matches(one)) return one;
  return undefined;
}

/** Compiles each set of windows once: machines of a site have few. */
function compiledWindows(): (rules: unknown) => Window {
  const compiled = new Map<string, Window>();
  return (rules) => {
    const key = JSON.stringify(rules ?? []);
    const known = compiled.get(key) ?? compileWindows(JSON.parse(key));
    if (!known) throw new Error('the windows are computed by the agent');
    compiled.set(key, known);
    return known;
  };
}
