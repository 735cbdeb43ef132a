import type { Desired } from './desired.ts';
import { setupOf } from './setups.ts';
import type { World } from './world.ts';
import { keyOf, termsOf, type Ledger, type Target } from './ledger.ts';

/*
 * What the simulated agent has said, as opposed to what modreg recorded of it.
 */

/** An outcome that a consumer reported for an action, or a failure that it reported for a version. */
export interface Report {
  /** Undefined for a failure that names a version. */
  readonly id: string | undefined;
  readonly target: Target;
  readonly version: string;
  readonly blame: 'release' | 'machine' | 'undecided' | undefined;
  /** `null` when nothing is installed, undefined when unknown. */
  readonly running: string | null | undefined;
  readonly reason: string | undefined;
  /** How long a resulting quarantine may last; more than one while another configuration is being read. */
  readonly quarantineMs: readonly (number | undefined)[];
  /** What reached the program. (D82) */
  readonly setup: string | undefined;
}

type Said = Omit<Report, 'quarantineMs' | 'setup'>;

/** The agent reports something, which is to be recorded next, unless the disk is full. */
export function say(
  { ledger, host }: Pick<World, 'ledger' | 'host'>,
  said: Said,
  now: number,
): Report {
  const policies =
    ledger.desiredSince === now ? [ledger.desired, ledger.desiredBefore] : [ledger.desired];
  const quarantineMs = policies
    .filter((desired): desired is Desired => desired !== undefined)
    .map((desired) => termsOf(desired, said.target.name).quarantineMs);
  // A poller that has read no config uses the default: until the quarantine is lifted. modreg's own agent reads it once before its poller.
  if (ledger.readings <= (host ? 1 : 0)) quarantineMs.push(undefined);
  const { name } = said.target;
  // Another agent does not say what reached its programs.
  const setup = host && (ledger.started.get(name) ?? setupOf(ledger.desired, name));
  const report = { ...said, quarantineMs, setup };
  ledger.reports.push(report);
  return report;
}

/** modreg refused the report. */
export function unsay({ reports }: Ledger, report: Report): void {
  const place = reports.indexOf(report);
  if (place !== -1) reports.splice(place, 1);
}

/** How a report reads in a violation. */
export function described({ id, target, version, blame, running }: Report): string {
  const outcome =
    blame === undefined ? 'done' : `failed by the ${blame}, ${String(running)} is deployed`;
  return `${id ?? keyOf(target)} ${version} ${outcome}`;
}
