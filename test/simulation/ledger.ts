import type { WireList, WireRelease } from './published.ts';
import type { TermsWish, Wish } from './wish.ts';

/*
 * What an onlooker knows of a machine, written down as it is seen at the ports: it shares no code with the product.
 */

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
}

export interface OpenAction extends SeenAction {
  state: 'waiting' | 'delivered';
  /** When the machine last failed it. */
  failedAt?: { readonly elapsed: number; readonly wall: number };
}

/** What runs, as the machine's file should have it: `null` for nothing, undefined where nobody knows. */
export interface ModuleState {
  moduleId: string;
  running: string | null | undefined;
  /** What ran last, where nobody knows what runs now. */
  last: string | undefined;
  previous: string | undefined;
}

interface SeenRestart {
  readonly id: string;
  readonly elapsed: number;
  readonly wall: number;
  /** The number of the process. */
  readonly life: number;
}

interface SeenQuarantine {
  readonly moduleId: string;
  readonly version: string;
  readonly digest: string | undefined;
  readonly until: number | undefined;
  /** Where an operator went back from it: to what. */
  readonly backTo?: string | undefined;
}

/** A list that decides. */
export interface ListInForce {
  readonly list: WireList;
  /** Its releases, by what was known of their files when it came. */
  readonly trusted: readonly WireRelease[];
  readonly confirmedAt: number;
  /** A saved one, that stands in for the registry's. */
  readonly standsIn: boolean;
}

interface Poll {
  requests: number;
  retries: number;
  /** How often in a row each path was asked for in vain. */
  readonly failures: Map<string, number>;
}

export interface Ledger {
  wish: Wish | undefined;
  /** When the agent was last told of another. */
  wishedAt: number;
  life: number;
  /** Of this process: whether its memory was blank, and whether it decided before, and did nothing. */
  isBlank: boolean;
  hasLooked: boolean;
  isServerBusy: boolean;
  /** When the agent said that maintenance is allowed; undefined where nobody is asked. */
  allowedAt: number | undefined;
  asksForMaintenance: boolean;
  readonly known: Map<string, ModuleState>;
  readonly open: Map<string, OpenAction>;
  /** All that were ever committed, by id. */
  readonly committed: Map<string, SeenAction>;
  readonly restarts: Map<string, SeenRestart[]>;
  readonly quarantine: Map<string, SeenQuarantine>;
  starts: number[];
  /** How many were made. */
  plans: number;
  /** By the address of a registry and a module. */
  readonly lists: Map<
    string,
    { readonly at: number; now: ListInForce | undefined; readonly before: ListInForce | undefined }
  >;
  /** The last list that was taken for true, and what is on the disk of it. */
  readonly taken: Map<string, { list: WireList; digest: string; isOnDisk: boolean }>;
  /** The first digest of each file, by registry, module, version and platform. */
  readonly firstDigests: Map<string, { readonly digest: string; isOnDisk: boolean }>;
  readonly polls: Map<string, Poll>;
  /** Rounds in which a registry gave all lists, by its address. */
  readonly goodPolls: Map<string, number>;
  /** When a registry said anything, by the wall clock. */
  readonly heardAt: Map<string, Set<number>>;
  /** Counts what may be a reason to go back to what ran before. */
  novelty: number;
  readonly moves: Map<
    string,
    { readonly from: string | null | undefined; readonly to: string; readonly novelty: number }
  >;
}

export function blankLedger(): Ledger {
  return {
    wish: undefined,
    wishedAt: 0,
    life: 0,
    isBlank: true,
    hasLooked: false,
    isServerBusy: false,
    allowedAt: undefined,
    asksForMaintenance: false,
    starts: [],
    plans: 0,
    novelty: 0,
    known: new Map(),
    open: new Map(),
    committed: new Map(),
    restarts: new Map(),
    quarantine: new Map(),
    lists: new Map(),
    taken: new Map(),
    firstDigests: new Map(),
    polls: new Map(),
    goodPolls: new Map(),
    heardAt: new Map(),
    moves: new Map(),
  };
}

export function keyOf({ kind, name }: Pick<Target, 'kind' | 'name'>): string {
  return `${kind} ${name}`;
}

export function termsOf(wish: Wish, name: string): TermsWish {
  return wish.own[name] ?? wish.terms;
}

const AGENT: Target = { kind: 'subsystem', name: 'platform-agent', moduleId: 'platform:agent' };
export const SERVER: Target = {
  kind: 'subsystem',
  name: 'platform-server',
  moduleId: 'platform:server',
};

/** All that is decided on. */
export function targetsOf(wish: Wish | undefined): Target[] {
  if (!wish) return [];
  const modules = wish.modules.filter(({ isLocal }) => !isLocal);
  return [
    ...modules.map(({ name, moduleId }): Target => ({ kind: 'module', name, moduleId })),
    AGENT,
    SERVER,
  ];
}

/** What is known to run of a target; of another module under its name, nothing. */
export function knownOf({ known }: Ledger, target: Target): ModuleState {
  const one = known.get(keyOf(target));
  if (one?.moduleId === target.moduleId) return one;
  return { moduleId: target.moduleId, running: undefined, last: undefined, previous: undefined };
}

/** Notes what runs. What ran before that is what another text stood for. */
export function noteRunning(
  ledger: Ledger,
  target: Target,
  running: string | null | undefined,
): void {
  const before = knownOf(ledger, target);
  const text = running === undefined ? before.last : running;
  const isOther = before.last !== undefined && before.last !== text;
  ledger.known.set(keyOf(target), {
    moduleId: target.moduleId,
    running,
    last: text ?? undefined,
    previous: isOther ? before.last : before.previous,
  });
}

/** When what was delivered for a target was, as a machine can know it: by the clock that it had. */
export function restartsOf(
  { restarts, life }: Ledger,
  target: Target,
  { elapsed, wall }: { readonly elapsed: number; readonly wall: number },
  without?: string,
): number[] {
  const all = restarts.get(keyOf(target)) ?? [];
  return all
    .filter(({ id }) => id !== without)
    .map((restart) =>
      restart.life === life ? Math.floor(wall - (elapsed - restart.elapsed)) : restart.wall,
    );
}
