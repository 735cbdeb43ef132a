import type { Artifact, Result } from '../../src/core/index.ts';
import { installPackage, type InstallOrder } from '../../src/agent/install/install-package.ts';
import { installTurns } from '../../src/agent/install/turns.ts';
import type { InstallFailure } from '../../src/agent/install/install-failure.ts';
import type { Package } from '../../src/agent/install/package.ts';

/** Where tests install a package below their home. */
export const PLACE = 'packages/acme/lidar/1.2.9-3f8a91c20b7d';

/** Installs an artifact below `home`. */
export async function install(
  home: string,
  artifact: Artifact | undefined,
  order: Partial<InstallOrder> = {},
): Promise<Result<Package, InstallFailure>> {
  return await installPackage({
    artifact,
    home,
    root: `${home}/${PLACE}`,
    command: undefined,
    platform: 'linux/amd64',
    fetch: {},
    signal: new AbortController().signal,
    turns: installTurns(),
    onStep: () => undefined,
    ...order,
  });
}
