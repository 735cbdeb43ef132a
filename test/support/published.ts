import { join } from 'node:path';
import { Catalogue, readRelease } from '../../src/server/index.ts';
import { moduleId } from './ask.ts';
import { temporaryFolder } from './folder.ts';
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

/** A folder with `acme:lidar` in each kind of path: 1.0.0 in the folder `lists`, 2.0.0 in `site.db`. */
export function publishedFolder(): string {
  const folder = temporaryFolder({
    'lists/acme/lidar.json': '{"releases": [{"version": "1.0.0"}]}',
  });
  const catalogue = new Catalogue(join(folder, 'site.db'), { mode: 'create' });
  published({ catalogue }, 'acme:lidar', '2.0.0');
  catalogue.close();
  return folder;
}
