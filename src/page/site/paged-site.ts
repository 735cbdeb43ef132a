import type { ModuleId, Result } from '../../core/index.ts';
import type { NextStep } from '../../core/rollout/next-step.ts';
import type { Rollout } from '../../core/rollout/rollout.ts';
import type { Tally } from '../../core/rollout/tally.ts';
import type { DeployedVersions } from '../../server/fleet/deployed-versions.ts';
import type {
  ListedMachine,
  MachineDetail,
  MachineSearch,
  SiteTotals,
} from '../../server/fleet/site-queries.ts';
import type { PageProblem } from '../page-problem.ts';

type Read<T> = Result<T, PageProblem[]>;

/** A site as its page sees it: the registry's file, and what machines reported. Times are milliseconds since the epoch. */
export interface PagedSite {
  /** The name of the site on its page. */
  readonly title: string;
  readonly now: () => number;
  machines(search: MachineSearch): Read<MachinePage>;
  machine(id: string): Read<MachineDetail>;
  rollouts(): Promise<Read<RolloutList>>;
  rollout(release: NamedRelease): Read<ShownRollout>;
  /** What a step to `percent` would include; the next step without one. */
  raise(release: NamedRelease, percent: number | undefined): Read<RaisePreview>;
  /** Writes an event of a rollout. The error is ROLLOUT_CONFLICT if another one was written since `after`. */
  change(release: NamedRelease, change: SiteChange): Promise<Read<void>>;
  modules(after: string): Read<ModulePage>;
  module(moduleId: ModuleId): Read<ShownModule>;
  whatIf(release: NamedRelease): Promise<Read<WhatIf>>;
}

/** A release in an address, which need not exist. */
export interface NamedRelease {
  readonly moduleId: ModuleId;
  readonly version: string;
}

export interface MachinePage {
  readonly totals: SiteTotals;
  readonly machines: readonly ListedMachine[];
  /** How many machines match, whatever page is shown. */
  readonly matching: number;
  /** The `after` of the next page; undefined if this is the last one. */
  readonly next: string | undefined;
  /** The ids of the modules that machines have reported, for the choice in the form; the first ones if there are many. */
  readonly moduleIds: readonly string[];
}

/** What is known of the machines of a rollout. */
interface RolloutCounts {
  readonly tally: Omit<Tally, 'control'>;
  /** The machines that the share includes. */
  readonly included: number;
  readonly soakedMs: number;
  readonly next: NextStep;
  /** When the machines were counted. */
  readonly countedAt: number;
}

export interface ShownRollout extends NamedRelease, Omit<Rollout, 'salt' | 'share'> {
  /** Why the release is yanked, `''` without a reason; undefined if it is not. */
  readonly yanked: string | undefined;
  /** How long each step lasts at least. */
  readonly soakMs: number;
  readonly counts: RolloutCounts;
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
  readonly damaged: readonly PageProblem[];
}

export interface RaisePreview {
  readonly rollout: ShownRollout;
  readonly percent: number;
  /** How many machines the share would include. */
  readonly included: number;
  /** The steps above the one of now. */
  readonly steps: readonly number[];
}

/** A change that a person asks for who saw the event `after`. */
export type SiteChange = { readonly after: number } & (
  | { readonly event: 'halt' | 'retract'; readonly reason: string }
  | { readonly event: 'raise'; readonly percent: number }
  | {
      readonly event: 'resume';
      readonly acknowledged: { readonly failed: number; readonly silent: number };
    }
);

export interface ModulePage {
  readonly modules: readonly ListedModule[];
  readonly next: string | undefined;
}

export interface ListedModule extends DeployedVersions {
  readonly moduleId: string;
  /** The newest release that is neither yanked nor a prerelease; undefined if there is none. */
  readonly latest: string | undefined;
  /** The rollouts that are running or halted. */
  readonly rollouts: readonly (NamedRelease & Pick<Rollout, 'status' | 'percent'>)[];
}

export interface ShownModule extends ListedModule {
  readonly moduleId: ModuleId;
  /** The newest first. */
  readonly releases: readonly ListedRelease[];
  readonly releaseCount: number;
}

export interface ListedRelease {
  readonly version: string;
  readonly publishedAt: number | undefined;
  /** Undefined if it is not yanked. */
  readonly yanked: string | undefined;
  /** Its rollout if it ever had one. */
  readonly rollout: Pick<Rollout, 'status' | 'percent'> | undefined;
}

/** What a release would do, as `modreg fleet what-if` says. */
export interface WhatIf {
  readonly isPublished: boolean;
  readonly machines: number;
  /** How many would get it. */
  readonly included: number;
  /** Of how many that is not known. */
  readonly notComputed: number;
  readonly groups: readonly WhatIfGroup[];
}

export interface WhatIfGroup {
  readonly when: string;
  readonly count: number;
  /** The first ones. */
  readonly machines: readonly string[];
  readonly deployed: string;
  readonly constraint: string;
  readonly what: string;
}
