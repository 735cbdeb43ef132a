import { Catalogue, readRelease } from '../../../src/server/index.ts';
import { moduleId } from '../../support/ask.ts';
import { servedHere } from '../../support/served-here.ts';
import type { TestTrust } from '../../support/signed.ts';

/** Serves releases of `acme:lidar` with a trust document, from a file in `folder`. Returns the address. */
export async function published(
  folder: string,
  { text }: TestTrust,
  releases: readonly object[],
): Promise<string> {
  const path = `${folder}/registry.db`;
  const catalogue = new Catalogue(path, { mode: 'create' });
  for (const one of releases) {
    const release = readRelease(one);
    if (!release.ok) throw new Error(release.error.join('; '));
    catalogue.publish(moduleId('acme:lidar'), release.value, Date.now());
  }
  // A registry with keys would refuse what is not signed.
  catalogue.trust.store(text);
  catalogue.close();
  return (await servedHere(path)).address;
}
