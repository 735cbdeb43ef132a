import type { Result } from '../../core/index.ts';
import { excerpt } from '../../core/text/quote.ts';
import { LONGEST_SPREAD_MS } from '../../registry/http/limits.ts';
import { readTlsPair, type TlsFiles } from '../../server/tls/tls-files.ts';
import { parseMetricsPlace, type MetricsPlace } from '../metrics/metrics-place.ts';
import { wholeNumber } from '../number-option.ts';
import type { Problem } from '../problem.ts';
import { usage, type CreatingOptions } from './catalogue-options.ts';

export interface ServeCommandOptions extends CreatingOptions {
  readonly host: string;
  readonly port: string;
  readonly spread: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly metrics?: string;
}

/** The parsed options of `modreg registry serve`. */
export interface ServeTerms {
  readonly port: number;
  readonly spreadMs: number;
  readonly tls: TlsFiles | undefined;
  readonly metrics: MetricsPlace | undefined;
}

const LARGEST_PORT = 65_535;

/** Parses the options, and reports the first one that cannot be used. */
export function readServeTerms(options: ServeCommandOptions): Result<ServeTerms, Problem> {
  const port = wholeNumber('--port', options.port, LARGEST_PORT);
  if (!port.ok) return port;
  const spread = wholeNumber('--spread', options.spread, LONGEST_SPREAD_MS);
  if (!spread.ok) return spread;
  if (options.host === '') return { ok: false, error: usage('--host is empty') };
  const tls = readTlsOptions(options);
  if (!tls.ok) return tls;
  const metrics = parseMetricsPlace(options.metrics);
  if (!metrics.ok) return metrics;
  const value = {
    port: port.value,
    spreadMs: spread.value,
    tls: tls.value,
    metrics: metrics.value,
  };
  return { ok: true, value };
}

/** The files for TLS, which were readable a moment ago. */
export function readTlsOptions({
  tlsCert: certificate,
  tlsKey: key,
}: {
  readonly tlsCert?: string | undefined;
  readonly tlsKey?: string | undefined;
}): Result<TlsFiles | undefined, Problem> {
  if (certificate === undefined && key === undefined) return { ok: true, value: undefined };
  if (certificate === undefined) {
    return {
      ok: false,
      error: usage('--tls-key is given without --tls-cert: pass both, or neither'),
    };
  }
  if (key === undefined) {
    return {
      ok: false,
      error: usage('--tls-cert is given without --tls-key: pass both, or neither'),
    };
  }
  // Checked before a file is created.
  const pair = readTlsPair({ certificate, key });
  if (!pair.ok) return { ok: false, error: tlsProblem(pair.error) };
  return { ok: true, value: { certificate, key } };
}

/** The problem for files that cannot be used. */
export function tlsProblem(message: string): Problem {
  return { severity: 'error', kind: 'unreadable-file', message };
}

/** The problem of an address that cannot be used. Throws any other error. */
export function cannotListen(
  { host, port }: { readonly host: string; readonly port: number },
  error: unknown,
): Problem {
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) throw error;
  const message = `cannot listen on ${excerpt(host)}, port ${port} (${code})`;
  const hint = code === 'EADDRINUSE' ? '--port 0 selects a free port' : undefined;
  return { severity: 'error', kind: 'usage', message, hint };
}
