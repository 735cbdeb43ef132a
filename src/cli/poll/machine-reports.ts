import { dirname, join } from 'node:path';
import type { Platform, Result } from '../../core/index.ts';
import { stopsOf } from '../../core/plan/stops.ts';
import type { TargetName } from '../../core/plan/target.ts';
import type { Machine } from '../../core/machine/machine.ts';
import { pinIn, type UpdatePolicy } from '../../core/machine/update-policy.ts';
import { outbound } from '../../reports/outbound.ts';
import { OUTBOUND_FILE } from '../../reports/outbound-file.ts';
import { reportedModules } from '../../reports/reported-state.ts';
import { parseRegistryAddress } from '../../registry/address.ts';
import { systemRandom, systemClock } from '../../registry/clock.ts';
import { fleetClient, type FleetClient } from '../../registry/fleet-client.ts';
import type { ClaimedFile } from '../../store/index.ts';
import { machineCredentials } from '../../host/credentials.ts';
import { machineIdWith } from '../../host/machine-id.ts';
import { fetchIn } from '../../base/network.ts';
import { registryProblem, usage, type Problem } from '../../base/problem.ts';
import { tokenFor, tokensIn } from '../../host/registry-token.ts';
import { ownVersion } from '../version.ts';
import type { World } from '../../base/world.ts';

/** The options of a command that can report. */
export interface ReportOptions {
  readonly registry?: string;
  readonly reports?: string;
}

/** The registry that a machine reports to. */
export interface ReportTarget {
  readonly client: FleetClient;
  /** The id of the machine. */
  readonly machine: string;
  /** Whether the machine asks the registry that it reports to, with the same token, if the policy names this one (D186). */
  readonly isPolled: (registry: string | undefined) => boolean;
  /** What its system says of its clock (D460); undefined if it says nothing. */
  readonly isSynchronized: () => boolean | undefined;
}

/** Where the machine reports to: `--reports`, else `MODREG_REPORTS`; undefined if it does not report. */
export function reportTarget(
  { registry, reports }: ReportOptions,
  world: World,
): Result<ReportTarget | undefined, Problem> {
  const named = reports ?? (world.environment['MODREG_REPORTS'] || undefined);
  if (named === undefined) return { ok: true, value: undefined };
  const option = reports === undefined ? 'MODREG_REPORTS' : '--reports';
  const address = parseRegistryAddress(named);
  if (!address.ok) return { ok: false, error: usage(`${option}: ${address.error}`) };
  if (!('url' in address.value)) {
    return { ok: false, error: usage(`${option} is a path, expected the address of a registry`) };
  }
  const credentials = machineCredentials(world);
  if (!credentials.ok) return credentials;
  const machine = machineIdWith(credentials.value, world);
  if (machine === undefined) return { ok: false, error: noId(option) };
  const { url } = address.value;
  const tokens = tokensIn(world, registry ?? named, credentials.value);
  const client = fleetClient(address.value, 'report to', {
    clock: systemClock,
    fetch: fetchIn(world),
    token: () => tokenFor(url, tokens),
  });
  if (!client.ok) return { ok: false, error: registryProblem(client.error) };
  const polling = registry ?? (world.environment['MODREG_REGISTRY'] || undefined);
  const ofLists = tokensIn(world, registry, credentials.value);
  const isPolled = (inPolicy: string | undefined): boolean => {
    if (URL.parse(polling ?? inPolicy ?? '')?.origin !== url.origin) return false;
    // A registry that only the policy names may get no token, and then does not know who asks.
    const [asked, reported] = [ofLists(url), tokens(url)];
    const token = asked.ok ? asked.value.token?.reveal() : undefined;
    return token !== undefined && reported.ok && reported.value.token?.reveal() === token;
  };
  const isSynchronized = (): boolean | undefined => isClockSynchronized(world);
  return { ok: true, value: { client: client.value, machine, isPolled, isSynchronized } };
}

function isClockSynchronized(world: World): boolean | undefined {
  const state = world.clockState?.() ?? 'unknown';
  return state === 'unknown' ? undefined : state === 'synchronized';
}

function noId(option: string): Problem {
  return {
    ...usage(`${option} needs the id of the machine, and its credentials have none`),
    hint: 'add "part_id" to its credentials file, or set PLATFORM_PART_ID',
  };
}

/** Reports what the poller that has claimed `file` decides. `machine` returns the current config. Undefined without a target. */
export function startReports(
  target: ReportTarget | undefined,
  {
    file,
    platform,
    machine,
    policy,
    group,
    intervalMs,
    onNotice,
  }: {
    readonly file: ClaimedFile;
    readonly platform: Platform;
    readonly machine: () => Machine;
    readonly policy: () => UpdatePolicy;
    /** That of its credentials file; undefined if the policy says it. */
    readonly group: string | undefined;
    /** The time between two rounds. */
    readonly intervalMs: number;
    readonly onNotice: (level: 'info' | 'warn', text: string) => void;
  },
): ReturnType<typeof outbound> | undefined {
  if (!target) return undefined;
  const { state, path } = file;
  const sending = outbound(join(dirname(path), OUTBOUND_FILE), {
    ...target,
    version: ownVersion(),
    platform,
    group: () => group ?? policy().group,
    isPinned: () => pinIn(policy().terms) !== undefined,
    everyMs: () => (target.isPolled(policy().terms.registry) ? intervalMs : undefined),
    state,
    modules: () => reportedModules(state, (one) => stopsIn(machine(), one)),
    clock: systemClock,
    random: systemRandom,
    onNotice,
  });
  sending.start();
  return sending;
}

/** The components that stop when a target restarts. */
function stopsIn({ agent, components, modules }: Machine, { kind, name }: TargetName): string[] {
  // If the server is not managed, its components are not stopped.
  if (agent.platformServer.disableSubsystem) return [];
  const stops = stopsOf(components);
  const entry = kind === 'module' ? modules.find((one) => one.name === name) : undefined;
  if (entry) return stops.ofModule(entry.moduleId).map(({ component }) => component);
  return name === 'platform-server' ? stops.ofServer().map(({ component }) => component) : [];
}
