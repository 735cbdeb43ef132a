import type { Catalogue } from './catalogue/catalogue.ts';
import { removeAbandoned } from './artifacts/incoming-artifacts.ts';
import type { RegistryOptions } from './registry-options.ts';

const SWEEP_MS = 3_600_000;

/** Removes what uploads left beside `catalogue`, now and every hour, until the returned function is called. */
export function sweepArtifacts(
  { path }: Catalogue,
  { clock, log }: Pick<RegistryOptions, 'clock' | 'log'>,
): () => void {
  const sweep = (): void => {
    try {
      removeAbandoned(path, clock.now());
    } catch (error) {
      // The disk is read-only, for example: the registry still serves.
      log?.({ kind: 'failed', error });
    }
  };
  sweep();
  const timer = setInterval(sweep, SWEEP_MS);
  timer.unref();
  return () => clearInterval(timer);
}
