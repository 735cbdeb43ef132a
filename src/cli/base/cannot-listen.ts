import { excerpt } from '../../core/text/quote.ts';
import type { Problem } from '../../base/problem.ts';

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
