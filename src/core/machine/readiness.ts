import { quote } from '../text/quote.ts';
import type { Result } from '../text/result.ts';

/** How an agent finds out that a module is ready, and later that it still works. */
export type Readiness =
  /** The module is ready once it has stayed up for ten seconds. */
  | { readonly kind: 'none' }
  /** It listens at the Unix socket `PLATFORM_MODULE_SOCKET`, whose path is a new one for each start. */
  | { readonly kind: 'socket' }
  /** It answers a GET with a status from 200 to 299. */
  | {
      readonly kind: 'http';
      /** An address of this machine, with a port. */
      readonly url: string;
    }
  /** It accepts a TCP connection. */
  | {
      readonly kind: 'tcp';
      /** A loopback address, or `localhost`. */
      readonly host: string;
      /** From 1 to 65535. */
      readonly port: number;
    };

const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|localhost|\[::1\])$/;
const EXPECTED =
  'none, socket, http://127.0.0.1:PORT/PATH or tcp://127.0.0.1:PORT, with a port and a loopback address';

/** Parses the `ready` of a policy or of a package's `meta.json`. The error is one escaped line. */
export function parseReadiness(text: string): Result<Readiness, string> {
  if (text === 'none' || text === 'socket') return { ok: true, value: { kind: text } };
  const url = URL.parse(text);
  const [, host = '', port = ''] =
    /^[a-z]+:\/\/([^/?#@]*):([1-9]\d{0,4})(?:[/?#]|$)/.exec(text) ?? [];
  const isLocal = LOOPBACK.test(host);
  if (url && isLocal && url.protocol === 'http:')
    return { ok: true, value: { kind: 'http', url: url.href } };
  if (url && isLocal && text === `tcp://${host}:${port}`) {
    // A connection needs the address of IPv6 without its brackets.
    const bare = host === '[::1]' ? '::1' : host;
    return { ok: true, value: { kind: 'tcp', host: bare, port: Number(port) } };
  }
  return { ok: false, error: `${shown(text)} is not a way to be ready, expected ${EXPECTED}` };
}

/**
 * Parses the `restart_status` of a package: an address of this machine, at which a program says whether it may be restarted
 * (D29, D77). The error is one escaped line.
 */
export function parseRestartStatus(text: string): Result<string, string> {
  const read = parseReadiness(text);
  if (read.ok && read.value.kind === 'http') return { ok: true, value: read.value.url };
  const expected = 'http://127.0.0.1:PORT/PATH, with a port and a loopback address';
  return {
    ok: false,
    error: `${shown(text)} is not an address of this machine, expected ${expected}`,
  };
}

/** What was found, without a password. */
function shown(text: string): string {
  return quote(text.replace(/^([a-z]+:\/\/[^/?#@:]*:)[^/?#]*@/i, '$1•••@'));
}
