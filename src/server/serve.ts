import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expectArgument, expectMembers, having, NUMBER, TEXT } from '../core/text/argument.ts';
import { PATHS, registryApp } from './app.ts';
import type { Catalogue } from './catalogue/catalogue.ts';
import { changeFeed, type ChangeFeed } from './catalogue/change-feed.ts';
import { FleetFile, fleetPath } from './fleet/fleet-file.ts';
import { logsPath, RegistryLogs } from './logs/registry-logs.ts';
import { unlessUnusable } from '../sqlite/database-error.ts';
import { fleetNumbers, type FleetNumbers } from './fleet/fleet-numbers.ts';
import { setSilentAfter } from './fleet/presence.ts';
import { rolloutController } from './rollout/rollout-controller.ts';
import { noticesOf, type Notices } from './notices/notices.ts';
import type { Watched } from './notices/notice-watch.ts';
import { rolloutNumbers, type RolloutNumbers } from './rollout/rollout-numbers.ts';
import { healthOf, type Health } from './routes/health.ts';
import { gatedApp } from './limits/gated-app.ts';
import { closed, limitedServer, type LimitedServer } from './limits/limited-server.ts';
import { SERVER_LIMITS } from './server-limits.ts';
import { observed } from './limits/observed-requests.ts';
import { refusalCount } from './limits/refusal-count.ts';
import { withDefaults, type RegistryOptions, type ServeOptions } from './registry-options.ts';
import { sweepArtifacts } from './sweep-artifacts.ts';
import type { RequestGate } from './limits/request-gate.ts';
import { tlsInUse, type TlsInUse } from './tls/tls-reload.ts';

/** A registry that accepts connections. */
export interface RunningRegistry {
  /** `http://127.0.0.1:4873`, with the actual port; `https:` with TLS. */
  readonly address: string;
  /**
   * Ends long polls and waits up to five seconds for responses in progress. The catalogue stays open; the caller closes it
   * afterwards.
   */
  close(): Promise<void>;
  /** @internal Takes the next step of each rollout now, and not in some seconds. */
  stepRollouts(): Promise<void>;
  /** @internal What the server has to do now, for metrics. */
  load(): ServerLoad;
  /** @internal What its machines report now, for metrics. Rejects with a DatabaseError. */
  numbers(): Promise<RegistryNumbers>;
}

/** What a server has to do. */
export interface ServerLoad {
  readonly connections: number;
  readonly unsentBytes: number;
  /** 1 if it can read and write its file, else 0. */
  readonly healthy: number;
  /** When its certificate expires, in seconds since the epoch; undefined without TLS. */
  readonly certificateExpiry: number | undefined;
  /** Undefined without receivers, and while the file cannot be read. */
  readonly waitingNotices: number | undefined;
}

/** @internal Numbers of what machines report, and of rollouts. */
export type RegistryNumbers = FleetNumbers & {
  /** When they were read, in milliseconds since the epoch. */
  readonly at: number;
  readonly rollouts: RolloutNumbers;
};

const CATALOGUE = having('a Catalogue', 'publish', 'changes', 'close');

/**
 * Serves a catalogue over HTTP, or over HTTPS with the option `tls`. Port 0 selects any free port. Rejects with Node's error
 * if the address cannot be used (`EADDRINUSE`), with a DatabaseError if the catalogue cannot, and with an Error that names the
 * file if one for TLS cannot.
 *
 * @example
 * ```ts
 * import { Catalogue, serveRegistry } from 'modreg/server';
 *
 * const catalogue = new Catalogue('registry.db', { mode: 'create' });
 * const registry = await serveRegistry(catalogue, { host: '127.0.0.1', port: 0 });
 * console.log(await (await fetch(`${registry.address}/v1/modules`)).text()); // {"modules":[]}
 * await registry.close();
 * catalogue.close();
 * ```
 */
export async function serveRegistry(
  catalogue: Catalogue,
  place: { readonly host: string; readonly port: number },
  options: ServeOptions = {},
): Promise<RunningRegistry> {
  expectArgument('serveRegistry()', 'catalogue', catalogue, CATALOGUE);
  expectMembers('serveRegistry()', 'place', place, { host: TEXT, port: NUMBER });
  const registry = withDefaults('serveRegistry()', options);
  const tls = registry.tls && tlsInUse(registry.tls, registry);
  const feed = changeFeed(catalogue, registry.clock);
  const health = healthOf(catalogue, registry);
  const { fleet, logs, closeFiles } = openFiles(catalogue, registry);
  const parts = { options: registry, tls, health, fleet, logs };
  const { gate, ...limited } = guardedServer(catalogue, feed, parts);
  await listening(limited.server, place).catch(async (error: unknown) => {
    feed.close();
    await closeFiles();
    throw error;
  });
  const controller = rolloutController(catalogue, fleet, registry);
  const stopSweeping = sweepArtifacts(catalogue, registry);
  const stopRollouts = controller.run();
  const notices = noticesFor({ catalogue, fleet, tls }, registry);
  const stopNotices = notices?.run();
  return {
    address: `${tls ? 'https' : 'http'}://${hostOf(limited.server)}`,
    close: async () => {
      stopSweeping();
      await stopNotices?.();
      await stopRollouts();
      feed.close();
      await closed(limited, gate);
      await closeFiles();
    },
    stepRollouts: controller.step,
    numbers: async () => await numbersOf(catalogue, fleet, registry.clock.now()),
    load: () => loadOf({ gate, health, tls, connections: limited.sockets.size }, notices),
  };
}

function noticesFor(
  {
    tls,
    ...watched
  }: Omit<Watched, 'clock' | 'certificateExpiry'> & { readonly tls: TlsInUse | undefined },
  { notify, clock, replica }: RegistryOptions,
): Notices | undefined {
  if (!notify) return undefined;
  const known = { ...watched, clock, certificateExpiry: () => expiryOf(tls) };
  return noticesOf(known, notify, () => replica?.isController() ?? true);
}

function loadOf(
  {
    gate,
    health,
    tls,
    connections,
  }: {
    readonly gate: RequestGate;
    readonly health: Health;
    readonly tls: TlsInUse | undefined;
    readonly connections: number;
  },
  notices: Notices | undefined,
): ServerLoad {
  return {
    connections,
    unsentBytes: gate.unsentBytes(),
    healthy: health() ? 0 : 1,
    certificateExpiry: expiryOf(tls),
    waitingNotices: unlessUnusable(() => notices?.waiting()),
  };
}

async function numbersOf(
  catalogue: Catalogue,
  fleet: FleetFile,
  at: number,
): Promise<RegistryNumbers> {
  const refusals = catalogue.configs.refusals(at);
  const found = await fleet.readInSlices((sql) => fleetNumbers(sql, at, refusals));
  return { ...found, at, rollouts: await rolloutNumbers(catalogue, fleet, at) };
}

/** In seconds since the epoch. */
function expiryOf(tls: TlsInUse | undefined): number | undefined {
  return tls && tls.pair().validTo / 1000;
}

/** Where a server listens: `127.0.0.1:4873`. */
function hostOf(server: Server): string {
  const { family, address, port } = server.address() as AddressInfo;
  return `${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

/** The files beside the catalogue: what machines reported, which all fronts of a cluster share, and what they log. */
function openFiles(
  catalogue: Catalogue,
  options: RegistryOptions,
): {
  readonly fleet: FleetFile;
  readonly logs: RegistryLogs;
  readonly closeFiles: () => Promise<void>;
} {
  const { clock, replica, log, limits, silentMs } = options;
  const logs = new RegistryLogs(logsPath(catalogue.path), options);
  const fleet = new FleetFile(fleetPath(catalogue.path), () => clock.now(), {
    freeDisk: limits?.freeDisk,
  });
  if (silentMs !== undefined) fleet.write((sql) => setSilentAfter(sql, silentMs));
  const stopSharing = replica?.shareReports(fleet, (event) => log?.(event));
  const closeFiles = async (): Promise<void> => {
    await stopSharing?.();
    fleet.close();
    logs.close();
  };
  return { fleet, logs, closeFiles };
}

async function listening(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen({ host, port }, resolve);
  await promise;
  server.off('error', reject);
}

/** A server that keeps SERVER_LIMITS, and its connections. */
function guardedServer(
  catalogue: Catalogue,
  feed: ChangeFeed,
  {
    options,
    tls,
    ...files
  }: {
    readonly options: RegistryOptions;
    readonly tls: TlsInUse | undefined;
    readonly health: Health;
    readonly fleet: FleetFile;
    readonly logs: RegistryLogs;
  },
): LimitedServer & { readonly gate: RequestGate } {
  const { limits = SERVER_LIMITS, log, observe } = options;
  const slice = (): number =>
    gate.unsentBytes() < limits.manyUnsent ? limits.slice : limits.smallSlice;
  const app = registryApp(catalogue, feed, { ...options, slice, ...files });
  const refused = refusalCount(log);
  const gate = gatedApp(app, { limits, refused });
  const admit = observe ? observed(gate.admit, observe, PATHS) : gate.admit;
  return { gate, ...limitedServer({ ...gate, admit }, limits, { refused, tls }) };
}
