import { SERVER_LIMITS } from '../server-limits.ts';
import type { RegistryOptions } from '../registry-options.ts';
import { readTlsPair, tlsWarnings, type TlsFiles, type TlsPair } from './tls-files.ts';
import { formatTime } from '../../core/text/rfc3339.ts';

/** The files of TLS cannot be used. The message is one escaped line. */
export class TlsFilesError extends Error {
  override readonly name = 'TlsFilesError';
}

/** A certificate in use, and how to replace it. */
export interface TlsInUse {
  /** What new connections use. */
  readonly pair: () => TlsPair;
  /** Calls `use` with each later content of the files that can be used. The result stops that. */
  readonly follow: (use: (pair: TlsPair) => void) => () => void;
}

/** The content of the files. Throws a TlsFilesError if it cannot be used. */
export function tlsInUse(
  files: TlsFiles,
  { clock, log }: Pick<RegistryOptions, 'clock' | 'log'>,
): TlsInUse {
  const first = readTlsPair(files);
  if (!first.ok) throw new TlsFilesError(first.error);
  const warn = (pair: TlsPair): void => {
    for (const text of tlsWarnings(files, pair, clock.now())) {
      log?.({ kind: 'certificate-warning', text });
    }
  };
  warn(first.value);
  let current = first.value;
  return {
    pair: () => current,
    follow(use) {
      let trouble: string | undefined;
      // A tool replaces the files one after the other, by a rename or by a link to their folder, which a watch would not see.
      const timer = setInterval(() => {
        const now = readTlsPair(files);
        if (!now.ok) {
          if (now.error !== trouble) log?.({ kind: 'certificate-kept', text: now.error });
          trouble = now.error;
          return;
        }
        trouble = undefined;
        const { value: pair } = now;
        if (pair.cert.equals(current.cert) && pair.key.equals(current.key)) return;
        current = pair;
        use(pair);
        const text = `valid until ${formatTime(pair.validTo)}`;
        log?.({ kind: 'certificate-renewed', text });
        warn(pair);
      }, SERVER_LIMITS.check);
      timer.unref();
      return () => clearInterval(timer);
    },
  };
}
