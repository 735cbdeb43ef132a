import type { NextStep } from '../../core/rollout/next-step.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { writeTo } from '../catalogue/write-change.ts';
import type { DamagedRollout, NamedRollout } from '../catalogue/catalogue-rollouts.ts';
import type { NewRolloutEvent } from '../catalogue/rollout-event.ts';
import type { FleetFile } from '../fleet/fleet-file.ts';
import { addSoak } from '../fleet/soak.ts';
import type { RegistryEvent, RegistryOptions } from '../registry-options.ts';
import { repeated } from '../repeated.ts';
import { rolloutView, type RolloutView } from './rollout-view.ts';

/** Raises, halts and completes the rollouts of a catalogue. */
export interface RolloutController {
  /** Takes the next step of each rollout that is running, if it has one. */
  readonly step: () => Promise<void>;
  /** Calls `step` every few seconds until the returned function is called, which waits for the last one. */
  readonly run: () => () => Promise<void>;
}

/** A process that was stopped for longer has seen no reports meanwhile. */
const LONGEST_ELAPSED_MS = 60_000;
/** Counting 100,000 machines takes about a second of CPU time: at most a twentieth of all. */
const STEPS = { everyMs: 5000, factor: 20 };

/** `fleet` has the reports of the machines. */
export function rolloutController(
  catalogue: Catalogue,
  fleet: FleetFile,
  { clock, log, replica }: Pick<RegistryOptions, 'clock' | 'log' | 'replica'>,
): RolloutController {
  const write = replica?.write ?? writeTo(catalogue);
  let last: number | undefined;
  const stepOf = async (named: NamedRollout): Promise<void> => {
    const view = await fleet.readInSlices((sql) => rolloutView(sql, named, clock.now()));
    const event = eventOf(view, clock.now());
    if (!event) return;
    const { moduleId, version } = named;
    // Another writer may have been faster: this event names the last one it knew, and is refused (D54).
    const change = { kind: 'rollout', moduleId, version, event, soakMs: undefined } as const;
    if (!(await write(change)).ok) return;
    const because = event.kind === 'halted' ? event.because : undefined;
    log?.({ kind: 'rollout', change: event.kind, moduleId, version, because });
  };
  /** Resolves with what kept it from a step of some rollouts. */
  const stepAll = async (elapsed: number): Promise<Trouble[]> => {
    const { rollouts, damaged } = catalogue.rollouts.all();
    const running = rollouts.filter(({ rollout }) => rollout.status === 'running');
    // At once, because a rollout may change while another one is counted.
    fleet.write((sql) => {
      for (const { rollout } of running) addSoak(sql, rollout, elapsed);
    });
    const troubles = damaged.map(damage);
    for (const named of running) {
      await stepOf(named).catch((error: unknown) => troubles.push(failure(error, named)));
    }
    return troubles;
  };
  const tell = newsTo(log);
  const step = async (): Promise<void> => {
    const now = clock.monotonic();
    const elapsed = Math.min(now - (last ?? now), LONGEST_ELAPSED_MS);
    last = now;
    // Of the fronts of a cluster, one at a time raises rollouts.
    if (replica && !replica.isController()) return;
    // Nothing is raised without reports; the next step tries again.
    tell(await stepAll(elapsed).catch((error: unknown) => [failure(error)]));
  };
  return { step, run: () => repeated(step, STEPS) };
}

/** Why one rollout, or all, did not take a step. */
interface Trouble {
  /** The rollout; empty if it is all of them. */
  readonly about: string;
  readonly text: string;
  readonly event: RegistryEvent;
}

function damage({ moduleId, version, found: because }: DamagedRollout): Trouble {
  const event = { kind: 'rollout', change: 'damaged', moduleId, version, because } as const;
  return { about: `${moduleId} ${version}`, text: because, event };
}

function failure(error: unknown, named?: NamedRollout): Trouble {
  const about = named ? `${named.moduleId} ${named.version}` : '';
  return { about, text: String(error), event: { kind: 'failed', error } };
}

/** Logs troubles that the step before did not have (T207). */
function newsTo(log: RegistryOptions['log']): (troubles: readonly Trouble[]) => void {
  let known: ReadonlyMap<string, string> = new Map();
  return (troubles) => {
    for (const { about, text, event } of troubles) if (known.get(about) !== text) log?.(event);
    known = new Map(troubles.map(({ about, text }) => [about, text]));
  };
}

type ControllerEvent = Extract<NewRolloutEvent, { kind: 'raised' | 'halted' | 'completed' }>;

function eventOf(
  { next, rollout, shareAt, included }: RolloutView,
  at: number,
): ControllerEvent | undefined {
  const { sequence: after } = rollout;
  switch (next.kind) {
    case 'wait': {
      // A file of reports that was lost, or is new, has soaked nothing: it does not know the machines yet (T240).
      if (next.because.reason === 'soaking') return undefined;
      const { percent } = rollout;
      const share = shareAt(percent);
      // Machines that reported only after the step began: it includes at least one of them (D52).
      if (included > 0 || share <= rollout.share) return undefined;
      return { kind: 'raised', after, at, percent, share };
    }
    case 'raise': {
      const { percent, groups } = next;
      return { kind: 'raised', after, at, percent, share: shareAt(percent), groups };
    }
    case 'complete':
      return { kind: 'completed', after, at };
    case 'halt':
      return { kind: 'halted', after, at, because: haltReason(next), failures: next.failures };
  }
}

function haltReason({ because }: Extract<NextStep, { kind: 'halt' }>): string {
  if (because.reason === 'failed-step') {
    const { machines } = because;
    return `${machines === 1 ? 'the only machine' : `all ${machines} machines`} of the step failed`;
  }
  const { reason, count, trials, limit } = because;
  const what = reason === 'failures' ? 'failed' : 'failed or became silent';
  const percent = Number((limit * 100).toPrecision(2));
  return `${count} of ${trials} machines ${what}, lower bound above ${percent} %`;
}
