import { existsSync } from 'node:fs';
import { get } from 'node:http';
import { createConnection, createServer, type NetConnectOpts } from 'node:net';
import type { Readiness } from '../../core/machine/readiness.ts';
import { describeDuration } from '../../core/text/duration.ts';
import { excerpt } from '../../core/text/quote.ts';
import type { Clock } from '../../registry/clock.ts';
import { listensUnseen, readySocket } from './ready-socket.ts';
import type { RunAs } from './run-as.ts';

/** A module is often ready at once, and should not be asked often if it is not. */
const FIRST_POLL_MS = 10;
const POLL_MS = 1000;
/** How long one probe may take. */
const PROBE_MS = 2000;
const PROBE_TIME = describeDuration(PROBE_MS);

/** The readiness of one start of a module. */
export interface ReadinessProbe {
  /** Variables that the module needs for it. */
  readonly environment: Readonly<Record<string, string>>;
  /** Why the module cannot be started now: another process has its port, or there is no folder for its socket. Undefined if it can. (A13) */
  readonly obstacle: () => Promise<string | undefined>;
  /** Resolves once the module is ready. Rejects with the reason of `signal`. Each probe that fails is passed to `onFailure`. */
  readonly untilReady: (signal: AbortSignal, onFailure: (what: string) => void) => Promise<void>;
  /** What was probed and what came back, in words, if the module does not answer now. Undefined for one that shows nothing. */
  readonly failure: (() => Promise<string | undefined>) | undefined;
  /** Removes what the probe created. */
  readonly close: () => void;
}

interface ProbeTerms {
  readonly clock: Clock;
  /** Of the agent. */
  readonly home: string;
  readonly runAs: RunAs | undefined;
  readonly staysUpMs: number;
}

/** Returns the probe for one start. A socket is at a new path each time. */
export function readinessProbe(
  readiness: Readiness,
  { clock, home, runAs, staysUpMs }: ProbeTerms,
): ReadinessProbe {
  if (readiness.kind === 'none') {
    return {
      environment: {},
      obstacle: async () => await Promise.resolve(undefined),
      untilReady: async (signal) => await clock.sleep(staysUpMs, signal),
      failure: undefined,
      close: () => undefined,
    };
  }
  const place = placeOf(readiness, home, runAs);
  const failure =
    readiness.kind === 'http'
      ? async () => await failureOfGet(readiness.url, describeAddress(place.address))
      : async () => await failureAt(place.address);
  return {
    environment: place.environment,
    obstacle: async () => place.obstacle ?? (await obstacleAt(place.address)),
    untilReady: async (signal, onFailure) => {
      for (let wait = FIRST_POLL_MS; ; wait = Math.min(2 * wait, POLL_MS)) {
        const what = await failure();
        if (what === undefined) break;
        onFailure(what);
        await clock.sleep(wait, signal);
      }
      signal.throwIfAborted();
    },
    failure,
    close: place.close,
  };
}

type Address = { readonly path: string } | { readonly host: string; readonly port: number };

interface Place {
  readonly address: Address;
  readonly environment: Readonly<Record<string, string>>;
  /** Why there is none. */
  readonly obstacle?: string;
  readonly close: () => void;
}

function placeOf(
  readiness: Exclude<Readiness, { kind: 'none' }>,
  home: string,
  runAs: RunAs | undefined,
): Place {
  if (readiness.kind === 'tcp') {
    const { host, port } = readiness;
    return { address: { host, port }, environment: {}, close: () => undefined };
  }
  if (readiness.kind === 'http') {
    const { hostname, port } = new URL(readiness.url);
    const address = { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port || 80) };
    return { address, environment: {}, close: () => undefined };
  }
  const socket = readySocket({ home, runAs });
  if (!socket.ok) {
    const nowhere = { address: { path: '' }, environment: {}, close: () => undefined };
    return { ...nowhere, obstacle: socket.error };
  }
  const { path, close } = socket.value;
  return { address: { path }, environment: { PLATFORM_MODULE_SOCKET: path }, close };
}

const UNUSABLE: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another process has it',
  EADDRNOTAVAIL: 'this machine does not have the address',
  EACCES: 'only root may use it',
};

async function obstacleAt(address: Address): Promise<string | undefined> {
  if ('path' in address) return undefined;
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const server = createServer();
  server.once('error', ({ code = '' }: NodeJS.ErrnoException) => {
    const why = UNUSABLE[code];
    const place = `port ${address.port} of ${address.host} cannot be used (${code})`;
    resolve(why === undefined ? place : `${place}: ${why}`);
  });
  server.listen(address, () => server.close(() => resolve(undefined)));
  return await promise;
}

/** Why nothing accepts a connection at an address. */
async function failureAt(address: Address): Promise<string | undefined> {
  if ('path' in address && !existsSync(address.path)) {
    if (listensUnseen(address.path)) return undefined;
    return 'it did not open its socket (PLATFORM_MODULE_SOCKET)';
  }
  const place = describeAddress(address);
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const options: NetConnectOpts = { ...address, timeout: PROBE_MS };
  const socket = createConnection(options, () => resolve(undefined));
  socket.on('error', (error) => resolve(failureOfConnection(place, error)));
  socket.on('timeout', () => resolve(`${place} accepted no connection within ${PROBE_TIME}`));
  try {
    return await promise;
  } finally {
    socket.destroy();
  }
}

/** Why a GET is not answered with success. */
async function failureOfGet(url: string, place: string): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  // `fetch` would keep the connection, and might ask a proxy.
  const signal = AbortSignal.timeout(PROBE_MS);
  const request = get(url, { agent: false, signal });
  request.on('error', (error) => {
    const late = `${excerpt(url)} gave no answer within ${PROBE_TIME}`;
    resolve(signal.aborted ? late : failureOfConnection(place, error));
  });
  request.on('response', ({ statusCode = 0 }) => {
    const isSuccess = statusCode >= 200 && statusCode < 300;
    resolve(isSuccess ? undefined : `${excerpt(url)} answered ${statusCode}, expected 200 to 299`);
  });
  try {
    return await promise;
  } finally {
    request.destroy();
  }
}

function describeAddress(address: Address): string {
  return 'path' in address ? 'its socket' : `${address.host}:${address.port}`;
}

function failureOfConnection(place: string, { code = '' }: NodeJS.ErrnoException): string {
  return code === 'ECONNREFUSED'
    ? `nothing listens on ${place}`
    : `the connection to ${place} failed (${code})`;
}
