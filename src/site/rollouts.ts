import { describeStage, newestGroup } from '../core/rollout/stage.ts';
import { isOpen, reasonOf, type Rollout } from '../core/rollout/rollout.ts';
import type { Problem } from '../base/problem.ts';
import { systemClock } from '../registry/clock.ts';
import type { NamedRollout } from '../server/catalogue/catalogue-rollouts.ts';
import { failuresOf } from '../server/fleet/rollout-machines.ts';
import { uninterrupted } from '../server/fleet/slices.ts';
import {
  describeRefusal,
  eventFor,
  stageWanted,
  type RolloutChange,
} from '../server/rollout/rollout-change.ts';
import { rolloutView, type RolloutView } from '../server/rollout/rollout-view.ts';
import { damagedRollout } from './damaged-rollout.ts';
import { keptCounts } from './kept-counts.ts';
import type { OnChange } from './on-change.ts';
import type { NamedRelease } from './named-release.ts';
import { unknownReference, type Answer, type SiteFiles } from './site-files.ts';

/** So many rollouts that have ended are listed. */
const MOST_ENDED = 50;

export interface ShownRollout
  extends NamedRelease, Omit<Rollout, 'salt' | 'share'>, Pick<NamedRollout, 'yanked' | 'soakMs'> {
  /** What is known of its machines, and when they were counted. */
  readonly counts: Pick<
    Counted,
    'tally' | 'retrying' | 'included' | 'steps' | 'soakedMs' | 'next' | 'countedAt'
  >;
  readonly failures: readonly Failures[];
}

/** Machines that reported the same reason. */
export interface Failures {
  /** Whether they count as failed. If not, they are not in the step: pinned ones, for example. */
  readonly isCounted: boolean;
  readonly reason: string;
  /** The last ones first. */
  readonly machines: readonly string[];
}

export interface RolloutList {
  /** Those that are running or halted. */
  readonly open: readonly ShownRollout[];
  /** The last ones that have ended, the newest first. */
  readonly ended: readonly (NamedRelease & Pick<Rollout, 'status' | 'percent' | 'because'>)[];
  readonly endedCount: number;
  /** One for each rollout that is damaged, so that its state is not known. */
  readonly damaged: readonly Problem[];
}

export interface RaisePreview {
  readonly rollout: ShownRollout;
  readonly percent: number;
  /** The group that it would include; undefined for a percentage. */
  readonly group: string | undefined;
  /** The stage in words: `5 %`, or `group canary`. */
  readonly stage: string;
  /** How many machines it would include. */
  readonly included: number;
  /** The percentages that are left. */
  readonly steps: readonly number[];
}

/** The rollouts of a registry. */
export interface SiteRollouts {
  rollouts(): Promise<Answer<RolloutList>>;
  rollout(release: NamedRelease): Answer<ShownRollout>;
  /** What a step to `percent` would include; the next step without one. */
  raise(release: NamedRelease, percent: number | undefined): Answer<RaisePreview>;
  /** Writes an event of a rollout, whose author is `by`. The error is `rollout-conflict` if another one was written since `after`. */
  change(release: NamedRelease, change: RolloutChange, by: string): Promise<Answer<void>>;
}

export function rolloutsOf(files: SiteFiles, onChange: OnChange): SiteRollouts {
  const kept = keptCounts<Counted>(systemClock);
  const counted: Count = (named) => {
    const { moduleId, version, rollout, yanked } = named;
    const counts = kept(
      [moduleId, version, rollout.sequence, rollout.share, ...rollout.groups].join(' '),
      () => {
        // The failures are those that were counted.
        const view = files.fleet.read((sql) => ({
          ...uninterrupted(rolloutView(sql, named, files.now())),
          failures: failuresOf(sql, moduleId, version),
        }));
        return { ...view, countedAt: files.now() };
      },
    );
    return { ...counts, yanked };
  };
  return {
    rollouts: async () => await listed(files, counted),
    rollout: (release) => withRollout(files, release, (named) => ok(shownRollout(counted(named)))),
    raise: (release, percent) =>
      withRollout(files, release, (named) => ok(raisePreview(named, percent, counted))),
    async change(release, change, by) {
      const named = withRollout(files, release, (found) => ok(found));
      return named.ok ? await changed(files, named.value, { change, by, onChange }) : named;
    },
  };
}

/** A rollout with its machines, as they were a few seconds ago at most. */
type Counted = RolloutView & {
  readonly failures: ReturnType<typeof failuresOf>;
  readonly countedAt: number;
};
type Count = (named: NamedRollout) => Counted;

function ok<T>(value: T): Answer<T> {
  return { ok: true, value };
}

function rolloutConflict(message: string): Answer<never> {
  return { ok: false, error: { severity: 'error', kind: 'rollout-conflict', message } };
}

/** Each rollout is counted in a turn of its own, so that requests for other pages are answered meanwhile. */
async function listed(files: SiteFiles, counted: Count): Promise<Answer<RolloutList>> {
  const { rollouts, damaged } = files.catalogue.rollouts.all();
  const open: ShownRollout[] = [];
  for (const named of rollouts.filter(({ rollout }) => isOpen(rollout))) {
    open.push(shownRollout(counted(named)));
    await new Promise(setImmediate);
  }
  const ended = rollouts
    .filter(({ rollout }) => !isOpen(rollout))
    .toSorted((a, b) => b.rollout.sequence - a.rollout.sequence);
  const first = ended.slice(0, MOST_ENDED).map(({ moduleId, version, rollout }) => {
    const { status, percent } = rollout;
    return { moduleId, version, status, percent, because: reasonOf(rollout) };
  });
  return ok({
    open,
    ended: first,
    endedCount: ended.length,
    damaged: damaged.map(({ found, ...named }) => damagedRollout(named, [found])),
  });
}

function withRollout<T>(
  { catalogue }: SiteFiles,
  { moduleId, version }: NamedRelease,
  work: (named: NamedRollout) => Answer<T>,
): Answer<T> {
  const found = catalogue.rollouts.of(moduleId, version);
  if (!found.ok) return unknownReference(describeRefusal({ moduleId, version }, found.error));
  if (found.value) return work({ moduleId, version, ...found.value });
  const hint = 'modreg registry publish --rollout publishes a release into a rollout';
  return unknownReference(`${moduleId} ${version} is not in a rollout`, hint);
}

function shownRollout(counted: Counted): ShownRollout {
  const { moduleId, version, rollout, soakMs, yanked } = counted;
  const { tally, retrying, included, steps, soakedMs, next, countedAt } = counted;
  const { salt: _salt, share: _share, ...known } = rollout;
  const counts = { tally, retrying, included, steps, soakedMs, next, countedAt };
  const because = reasonOf(rollout);
  return {
    moduleId,
    version,
    ...known,
    because,
    yanked,
    soakMs,
    counts,
    failures: grouped(counted),
  };
}

/** Those that count come first. */
function grouped({ failures, failed }: Counted): Failures[] {
  return [true, false].flatMap((isCounted) => {
    const some = failures.filter(({ machine }) => failed.has(machine) === isCounted);
    const groups = Map.groupBy(some, ({ reason }) => reason ?? 'no reason');
    return Array.from(groups, ([reason, all]) => {
      return { reason, machines: all.map(({ machine }) => machine), isCounted };
    });
  });
}

function raisePreview(
  named: NamedRollout,
  wanted: number | undefined,
  counted: Count,
): RaisePreview {
  const { rollout } = named;
  const now = counted(named);
  const { steps } = now;
  const { percent, groups: count } = stageWanted(rollout, steps, wanted);
  const groups = rollout.first.slice(0, count);
  const raised = counted({
    ...named,
    rollout: { ...rollout, share: now.shareAt(percent), groups },
  });
  const { included } = raised;
  const stage = describeStage({ percent, groups });
  const group = newestGroup({ percent, groups });
  return { rollout: shownRollout(now), percent, group, stage, included, steps };
}

/** The same functions decide as for the command line and the HTTP API. */
async function changed(
  files: SiteFiles,
  named: NamedRollout,
  {
    change,
    by,
    onChange,
  }: { readonly change: RolloutChange; readonly by: string; readonly onChange: OnChange },
): Promise<Answer<void>> {
  const { moduleId, version } = named;
  const wanted = await eventFor(change, named, files.fleet, files.now());
  if (!wanted.ok) return rolloutConflict(wanted.error);
  const { value: event } = wanted;
  const written = files.change((catalogue) =>
    catalogue.apply({ kind: 'rollout', moduleId, version, event, soakMs: undefined }, by),
  );
  if (!written.ok) return rolloutConflict(describeRefusal(named, written.error));
  onChange(`rollout-${event.kind}`, { module_id: moduleId, version }, by);
  return ok(undefined);
}
