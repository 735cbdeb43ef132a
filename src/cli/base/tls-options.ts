import type { Result } from '../../core/index.ts';
import { readTlsPair, type TlsFiles } from '../../server/tls/tls-files.ts';
import { usage, type Problem } from '../../base/problem.ts';

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
