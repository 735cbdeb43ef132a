import { readRelease } from '../../src/server/index.ts';
import { moduleId } from './ask.ts';
import type { Loopback } from './loopback.ts';

/** Publishes releases of a module at the current time, in the given order. */
export function published(
  { catalogue }: Pick<Loopback, 'catalogue'>,
  id: string,
  ...versions: readonly string[]
): void {
  for (const version of versions) {
    const release = readRelease({ version });
    if (!release.ok) throw new Error(release.error.join('; '));
    catalogue.publish(moduleId(id), release.value, Date.now());
  }
}
