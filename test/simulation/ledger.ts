import { clocksOf, type Clocks, type Sight } from './first-sight.ts';
import type { Pace } from './pace.ts';
import type { Heard } from './hearing.ts';
import type { Report } from './reports.ts';
import type { SeenRequest } from './requests.ts';
import type { WireList, WireRelease } from './published.ts';
import type { DesiredTerms, Desired } from './desired.ts';
import type { SeenQuarantine } from './seen-quarantine.ts';
import { orders, type Orders } from './orders.ts';

/* The state of a machine as observed at its ports. It shares no code with the product. */

export interface Target {
  readonly kind: 'module' | 'subsystem';
  readonly name: string;
  readonly moduleId: string;
}

export interface SeenAction {
  readonly id: string;
  readonly target: Target;
  readonly from: string | undefined;
  readonly to: string;
  readonly direction: string;
  readonly digest: string | undefined;
  /** The version that failed, for which it is a rollback. */
  readonly replaced?: string | undefined;
  /** The modules that it said to stop with its target. */
  readonly stops: readonly string[];
}

export interface OpenAction extends SeenAction {
  state: 'waiting' | 'delivered';
  deliveries: number;
  failures: number;
  failedAt?: { readonly elapsed: number; readonly wall: number };
  /** The entry and the terms with which it was last delivered, as text. */
  setup?: string | undefined;
}

/** The state of a target that machine.db should contain. `running`: `null` when not installed, undefined when unknown. */
export interface ModuleState {
  moduleId: string;
  running: string | null | undefined;
  /** The last known deployed version. */
  last: string | undefined;
  previous: string | undefined;
  /** The release that failed, until a deployed version is reported. */
  failed: string | undefined;
}

interface SeenRestart {
  readonly id: string;
  readonly elapsed: number;
  readonly wall: number;
  /** The number of the process that delivered it. */
  readonly life: number;
}

/** A list that decisions rest on. */
export interface ListInForce {
  readonly list: WireList;
  /** Its releases, with publish times that can be true, and without the files of those whose files changed. */
  readonly trusted: readonly WireRelease[];
  readonly confirmedAt: number;
  /** Whether this is a saved list, used because the registry gave none. */
  readonly isStale: boolean;
}

/** A list that a process accepted. */
export interface AcceptedList {
  readonly list: WireList;
  readonly digest: string;
  isOnDisk: boolean;
  /** The list that is on the disk instead. */
  readonly saved: AcceptedList | undefined;
}

interface FirstDigest {
  readonly digest: string;
  isOnDisk: boolean;
}

interface Poll {
  requests: number;
  retries: number;
  /** Consecutive failures of each path. */
  readonly failures: Map<string, number>;
}

/** The state of the record of an action that is not open. */
type EndedAs = 'superseded' | 'withdrawn' | 'done' | 'failed';

export interface Ledger extends Clocks, Orders {
  desired: Desired | undefined;
  /** When the agent first read `desired`, and what it had read before. */
  desiredSince: number;
  desiredBefore: Desired | undefined;
  life: number;
  /** How often the config was read in this life. */
  readings: number;
  /** Whether the memory was blank when this process started, without a loss, and whether it has planned since. */
  isBlank: boolean;
  isNew?: boolean;
  hasPlanned: boolean;
  /** Whether a poll has begun since this process first planned. */
  hasPolledSince: boolean;
  isServerBusy: boolean;
  asksForMaintenance: boolean;
  readonly known: Map<string, ModuleState>;
  readonly open: Map<string, OpenAction>;
  /** Every committed action, by id. */
  readonly committed: Map<string, SeenAction>;
  /** How each action ended, by id. */
  readonly ended: Map<string, EndedAs>;
  /** What the agent reported and modreg has not recorded yet, in order. */
  readonly reports: Report[];
  /** The deployed version that the agent last told this process, by target. */
  readonly told: Map<string, string | null | undefined>;
  /** The actions because of which something was stopped, by id: they are finished. (D72) */
  readonly begun: Set<string>;
  /** When the agent was last told that it may begin an action, by id, and whether that was right. */
  readonly granted: Map<string, { readonly at: number; readonly isRight: boolean }>;
  /** How often each action was handed over, by id. */
  readonly handovers: Map<string, number>;
  /** The names of the targets that this process found suspect when it started, or has blamed, for unclean starts. (D85) */
  readonly blamed: Set<string>;
  /** Until when each delivered action is safe from a withdrawal, by id, while a consumer of this process has it. */
  readonly held: Map<string, number>;
  /** The file that was delivered last, by target, module and version. */
  readonly files: Map<string, string | undefined>;
  readonly restarts: Map<string, SeenRestart[]>;
  readonly quarantine: Map<string, SeenQuarantine>;
  /** The last requested restart of each target, until it is done. */
  readonly requests: Map<string, SeenRequest>;
  starts: number[];
  plans: number;
  /** By registry address and module id. */
  readonly lists: Map<
    string,
    { readonly at: number; now: ListInForce | undefined; readonly before: ListInForce | undefined }
  >;
  /** Of those, the ones of modules that returned to the config and were not read since. */
  readonly returned: Set<string>;
  /** The last accepted list, by registry address and module id. */
  readonly accepted: Map<string, AcceptedList>;
  /** The first digest of each file, by registry and module, then by version and platform. */
  readonly firstDigests: Map<string, Map<string, FirstDigest>>;
  /** When each release was first seen, by registry and module, then by version. */
  readonly firstSights: Map<string, Map<string, Sight>>;
  /** When the list that a process knows was confirmed, by registry and module. */
  readonly confirmedAt: Map<string, number>;
  readonly polls: Map<string, Poll>;
  /** How often each registry is asked, by its address. */
  readonly paces: Map<string, Pace>;
  /** Number of rounds in which every list was read, by registry address. */
  readonly goodPolls: Map<string, number>;
  /** What the network brought from each registry, by its address. */
  readonly heard: Map<string, Heard>;
  /** Counts the events that are a reason to return to a previous version. */
  novelty: number;
  readonly moves: Map<
    string,
    { readonly from: string | null | undefined; readonly to: string; readonly novelty: number }
  >;
}

export function blankLedger(): Ledger {
  return {
    desired: undefined,
    desiredSince: 0,
    desiredBefore: undefined,
    life: 0,
    readings: 0,
    isBlank: true,
    hasPlanned: false,
    hasPolledSince: false,
    isServerBusy: false,
    asksForMaintenance: false,
    starts: [],
    plans: 0,
    novelty: 0,
    known: new Map(),
    open: new Map(),
    committed: new Map(),
    ended: new Map(),
    reports: [],
    told: new Map(),
    begun: new Set(),
    granted: new Map(),
    handovers: new Map(),
    blamed: new Set(),
    held: new Map(),
    files: new Map(),
    restarts: new Map(),
    quarantine: new Map(),
    requests: new Map(),
    lists: new Map(),
    returned: new Set(),
    accepted: new Map(),
    firstDigests: new Map(),
    firstSights: new Map(),
    confirmedAt: new Map(),
    ...clocksOf(),
    ...orders(),
    polls: new Map(),
    paces: new Map(),
    goodPolls: new Map(),
    heard: new Map(),
    moves: new Map(),
  };
}

export function keyOf({ kind, name }: Pick<Target, 'kind' | 'name'>): string {
  return `${kind} ${name}`;
}

export function termsOf(desired: Desired, name: string): DesiredTerms {
  return desired.own[name] ?? desired.terms;
}

export const AGENT: Target = {
  kind: 'subsystem',
  name: 'platform-agent',
  moduleId: 'platform:agent',
};
export const SERVER: Target = {
  kind: 'subsystem',
  name: 'platform-server',
  moduleId: 'platform:server',
};

/** The targets that a plan decides on. */
export function targetsOf(desired: Desired | undefined): Target[] {
  if (!desired) return [];
  const modules = desired.modules.filter(({ isLocal }) => !isLocal);
  const own = modules.map(({ name, moduleId }): Target => ({ kind: 'module', name, moduleId }));
  return [...own, AGENT, SERVER];
}

/** The known state of a target. The state of a different module under the same name does not count. */
export function knownOf({ known }: Ledger, target: Target): ModuleState {
  const one = known.get(keyOf(target));
  if (one?.moduleId === target.moduleId) return one;
  const nothing = { running: undefined, last: undefined, previous: undefined, failed: undefined };
  return { moduleId: target.moduleId, ...nothing };
}

/** Identifies a version of a target in `files`. */
export function fileOf(target: Target, version: string): string {
  return `${keyOf(target)} ${target.moduleId} ${version}`;
}
