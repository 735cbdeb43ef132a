import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { gzipSync } from 'node:zlib';
import { serveReleases } from '../../mocks/release-registry.ts';
import { tarOf } from '../support/tar-file.ts';

export const MODULE = 'lidar';

/** How a release behaves. */
export type Behaviour =
  | ('works' | 'fails-at-once' | 'fails-when-ready' | 'has-other-bytes')
  /** Later than `fails-when-ready`, for a longer probation. */
  | 'fails-on-probation';

/** A registry of one module, and the files of its releases. */
export interface UpgradeReleases {
  readonly address: string;
  readonly publish: (version: string, behaviour: Behaviour) => void;
}

const NOTES = 'notes '.repeat(20_000);
const END: Readonly<Record<Behaviour, string>> = {
  works: 'exec sleep 3600',
  'fails-at-once': 'exit 3',
  'fails-when-ready': 'sleep 0.3; exit 4',
  'fails-on-probation': 'sleep 1; exit 4',
  // It is never run.
  'has-other-bytes': '',
};

/**
 * A program that holds a lock while it runs, and records its start and whether another one holds the lock. Only files that its
 * user may write are in its HOME.
 */
function programOf(version: string, behaviour: Behaviour): string {
  return `#!/bin/sh
exec 9>"$HOME/lock"
flock -n 9 || echo "two at once: ${version}" >>"$HOME/record"
[ -s "$PLATFORM_MODULE_ROOT/notes" ] || echo "incomplete: ${version}" >>"$HOME/record"
echo "started ${version}" >>"$HOME/record"
${END[behaviour]}
`;
}

/** The package of a release. */
export function packageOf(version: string, behaviour: Behaviour): Buffer {
  const program = { name: 'run', mode: 0o755, content: programOf(version, behaviour) };
  const manifest = { name: 'meta.json', content: '{"entrypoint":"run"}' };
  return gzipSync(tarOf(manifest, program, { name: 'notes', content: NOTES }));
}

/** Serves releases while `work` runs. */
export async function withUpgradeReleases<T>(
  work: (releases: UpgradeReleases) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(`${tmpdir()}/modreg-upgrade-registry-`);
  const registry = await serveReleases(folder, { spreadMs: 0 });
  const publish = (version: string, behaviour: Behaviour): void => {
    const file = packageOf(version, behaviour);
    const served = behaviour === 'has-other-bytes' ? Buffer.alloc(file.length) : file;
    const release = { version, platform: 'linux/amd64', file, served };
    registry.publish({ module: `acme:${MODULE}`, ...release });
  };
  try {
    return await work({ address: `${registry.address}/v1`, publish });
  } finally {
    await registry.close();
    rmSync(folder, { recursive: true });
  }
}
