import type { Result } from '../../core/index.ts';
import { ROLLOUT_POLICY } from '../../core/rollout/rollout-policy.ts';
import { reasonOf } from '../../core/rollout/rollout.ts';
import { asPageProblem, type PageProblem } from '../../page/page-problem.ts';
import type {
  Failures,
  NamedRelease,
  PagedSite,
  RaisePreview,
  RolloutList,
  ShownRollout,
  SiteChange,
} from '../../page/site/paged-site.ts';
import { systemClock } from '../../registry/clock.ts';
import type { NamedRollout } from '../../server/catalogue/catalogue-rollouts.ts';
import { failuresOf } from '../../server/fleet/rollout-machines.ts';
import { uninterrupted } from '../../server/fleet/slices.ts';
import { describeRefusal, eventFor, nextPercent } from '../../server/rollout/rollout-change.ts';
import { rolloutView, type RolloutView } from '../../server/rollout/rollout-view.ts';
import { damagedRollout } from '../rollout/rollout-words.ts';
import { keptCounts } from '../../site/kept-counts.ts';
import { refused, unusableFile, usingFiles, type SiteFiles } from './site-files.ts';

const { steps: STEPS } = ROLLOUT_POLICY;
/** So many rollouts that have ended are listed. */
const MOST_ENDED = 50;

type Rollouts = Pick<PagedSite, 'rollouts' | 'rollout' | 'raise' | 'change'>;
type Read<T> = Result<T, PageProblem[]>;

/** Is told of each change that a person made. */
export type OnChange = (kind: string, release: NamedRelease) => void;

/** The rollouts of a registry, for its page. */
export function rolloutsOnPage(files: SiteFiles, onChange: OnChange): Rollouts {
  const kept = keptCounts<Counted>(systemClock);
  const counted: Count = (named) => {
    const { moduleId, version, rollout, yanked } = named;
    const counts = kept([moduleId, version, rollout.sequence, rollout.share].join(' '), () => {
      // The failures are those that were counted.
      const view = files.fleet.read((sql) => ({
        ...uninterrupted(rolloutView(sql, named, files.now())),
        failures: failuresOf(sql, moduleId, version),
      }));
      return { ...view, countedAt: files.now() };
    });
    return { ...counts, yanked };
  };
  return {
    rollouts: async () => await listed(files, counted),
    rollout: (release) => withRollout(files, release, (named) => ok(shownRollout(counted(named)))),
    raise: (release, percent) =>
      withRollout(files, release, (named) => ok(raisePreview(named, percent, counted))),
    async change(release, change) {
      const named = withRollout(files, release, (found) => ok(found));
      return named.ok ? await changed(files, named.value, { change, onChange }) : named;
    },
  };
}

/** A rollout with its machines, as they were a few seconds ago at most. */
type Counted = RolloutView & {
  readonly failures: ReturnType<typeof failuresOf>;
  readonly countedAt: number;
};
type Count = (named: NamedRollout) => Counted;

function ok<T>(value: T): Read<T> {
  return { ok: true, value };
}

function isOpen({ rollout: { status } }: NamedRollout): boolean {
  return status === 'running' || status === 'halted';
}

/** Each rollout is counted in a turn of its own, so that requests for other pages are answered meanwhile. */
async function listed(files: SiteFiles, counted: Count): Promise<Read<RolloutList>> {
  const all = usingFiles(() => ok(files.catalogue.rollouts.all()));
  if (!all.ok) return all;
  const { rollouts } = all.value;
  const open: ShownRollout[] = [];
  for (const named of rollouts.filter(isOpen)) {
    const shown = usingFiles(() => ok(shownRollout(counted(named))));
    if (!shown.ok) return shown;
    open.push(shown.value);
    await new Promise(setImmediate);
  }
  const ended = rollouts
    .filter((named) => !isOpen(named))
    .toSorted((a, b) => b.rollout.sequence - a.rollout.sequence);
  const first = ended.slice(0, MOST_ENDED).map(({ moduleId, version, rollout }) => {
    const { status, percent } = rollout;
    return { moduleId, version, status, percent, because: reasonOf(rollout) };
  });
  const damaged = all.value.damaged.map(({ found, ...named }) =>
    asPageProblem(damagedRollout(named, [found])),
  );
  return ok({ open, ended: first, endedCount: ended.length, damaged });
}

function withRollout<T>(
  { catalogue }: SiteFiles,
  { moduleId, version }: NamedRelease,
  work: (named: NamedRollout) => Read<T>,
): Read<T> {
  return usingFiles(() => {
    const found = catalogue.rollouts.of(moduleId, version);
    if (!found.ok) {
      return refused('UNKNOWN_REFERENCE', describeRefusal({ moduleId, version }, found.error));
    }
    if (found.value) return work({ moduleId, version, ...found.value });
    const hint = 'modreg registry publish --rollout publishes a release into a rollout';
    return refused('UNKNOWN_REFERENCE', `${moduleId} ${version} is not in a rollout`, hint);
  });
}

function shownRollout(counted: Counted): ShownRollout {
  const { moduleId, version, rollout, soakMs, yanked } = counted;
  const { tally, included, soakedMs, next, countedAt } = counted;
  const { salt: _salt, share: _share, ...known } = rollout;
  const counts = { tally, included, soakedMs, next, countedAt };
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
  const percent = wanted ?? nextPercent(rollout.percent);
  const now = counted(named);
  const share = now.shareAt(percent);
  const raised = counted({ ...named, rollout: { ...rollout, share } });
  const steps = STEPS.filter((step) => step > rollout.percent);
  return { rollout: shownRollout(now), percent, included: raised.included, steps };
}

/** The same functions decide as for the command line and the HTTP API. */
async function changed(
  { catalogue, fleet, now }: SiteFiles,
  named: NamedRollout,
  { change, onChange }: { readonly change: SiteChange; readonly onChange: OnChange },
): Promise<Read<void>> {
  const { moduleId, version } = named;
  const event = await eventFor(change, named, fleet, now()).then(ok, unusableFile);
  if (!event.ok) return event;
  return usingFiles(() => {
    const written = catalogue.apply({
      kind: 'rollout',
      moduleId,
      version,
      event: event.value,
      soakMs: undefined,
    });
    if (!written.ok) return refused('ROLLOUT_CONFLICT', describeRefusal(named, written.error));
    onChange(`rollout-${event.value.kind}`, named);
    return ok(undefined);
  });
}
