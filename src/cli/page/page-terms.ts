import type { Result } from '../../core/index.ts';
import { parseDuration } from '../../core/text/duration.ts';
import { excerpt } from '../../core/text/quote.ts';
import type { TlsFiles } from '../../server/tls/tls-files.ts';
import { isOpenToOthers } from '../base/metrics-place.ts';
import { wholeNumber } from '../base/number-option.ts';
import { usage, type Problem } from '../../base/problem.ts';
import { readTlsOptions } from '../base/tls-options.ts';
import type { World } from '../../base/world.ts';

export interface PageServingOptions {
  readonly host?: string;
  readonly port?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly idle?: string;
}

/** Where a page listens, and for how long. */
export interface PageTerms {
  readonly place: { readonly host: string; readonly port: number } | { readonly fd: number };
  readonly tls: TlsFiles | undefined;
  readonly idleMs: number | undefined;
}

const LOOPBACK = '127.0.0.1';
/** The same at each start, so that a bookmark works. */
export const DEFAULT_PORT = '4890';
const LARGEST_PORT = 65_535;
/** A page that systemd starts with a connection ends by itself. */
const ACTIVATED_IDLE = '5m';
/** A timer of Node lasts 24 days at most. */
const LONGEST_IDLE_MS = 7 * 86_400_000;
/** The first socket that systemd passes. */
const FIRST_FD = 3;

/** Parses the options of `modreg page`, and finds a socket that systemd passed. */
export function readPageTerms(
  { host = LOOPBACK, port = DEFAULT_PORT, tlsCert, tlsKey, idle }: PageServingOptions,
  { environment }: Pick<World, 'environment'>,
  pid: number,
): Result<PageTerms, Problem> {
  const number = wholeNumber('--port', port, LARGEST_PORT);
  if (!number.ok) return number;
  const tls = readTlsOptions({ tlsCert, tlsKey });
  if (!tls.ok) return tls;
  const fd = passedSocket(environment, pid);
  const idleMs = idleOf(idle ?? (fd === undefined ? undefined : ACTIVATED_IDLE));
  if (!idleMs.ok) return idleMs;
  if (fd === undefined && !tls.value && (host === '' || isOpenToOthers({ host, port: 0 }))) {
    return { ok: false, error: needsTls(`--host is ${excerpt(host)}`, port) };
  }
  const place = fd === undefined ? { host, port: number.value } : { fd };
  return { ok: true, value: { place, tls: tls.value, idleMs: idleMs.value } };
}

/** The problem of a page that others on the network could reach. */
export function needsTls(found: string, port: string): Problem {
  const message = `${found}, which is not a loopback address: others on the network could read codes and sessions`;
  const hint = `pass --tls-cert and --tls-key, or leave the page on 127.0.0.1 and use a tunnel, such as ssh -L ${port}:127.0.0.1:${port}`;
  return usage(message, hint);
}

/** The descriptor of the socket that systemd passed to this process, sd_listen_fds(3); undefined if there is none. */
function passedSocket(environment: World['environment'], pid: number): number | undefined {
  const isForThis = environment['LISTEN_PID'] === `${pid}`;
  return isForThis && Number(environment['LISTEN_FDS']) >= 1 ? FIRST_FD : undefined;
}

function idleOf(text: string | undefined): Result<number | undefined, Problem> {
  if (text === undefined) return { ok: true, value: undefined };
  const ms = parseDuration(text);
  if (!ms.ok) return { ok: false, error: usage(`--idle: ${ms.error}`) };
  if (ms.value > 0 && ms.value <= LONGEST_IDLE_MS) return ms;
  return { ok: false, error: usage(`--idle: ${text} is out of range, expected 1s to 7d`) };
}
