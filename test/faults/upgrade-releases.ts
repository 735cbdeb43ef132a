import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { gzipSync } from 'node:zlib';
import { Catalogue, readRelease, serveRegistry } from '../../src/server/index.ts';
import { moduleId } from '../support/ask.ts';
import { tarOf } from '../support/tar-file.ts';

export const MODULE = 'lidar';

/** How a release behaves. */
export type Behaviour = 'works' | 'fails-at-once' | 'fails-when-ready';

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

/** Serves releases while `work` runs. */
export async function withUpgradeReleases<T>(
  work: (releases: UpgradeReleases) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(`${tmpdir()}/modreg-upgrade-registry-`);
  const files = new Map<string, Buffer>();
  const server = createServer(({ url = '' }, response) => {
    const file = files.get(url);
    response.writeHead(file ? 200 : 404, { 'content-length': file?.length ?? 0 }).end(file);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const catalogue = new Catalogue(`${folder}/registry.db`, { mode: 'create' });
  const place = { host: '127.0.0.1', port: 0 };
  const registry = await serveRegistry(catalogue, place, { spreadMs: 0 });
  const publish = (version: string, behaviour: Behaviour): void => {
    const program = { name: 'run', mode: 0o755, content: programOf(version, behaviour) };
    const manifest = { name: 'meta.json', content: '{"entrypoint":"run"}' };
    const file = gzipSync(tarOf(manifest, program, { name: 'notes', content: NOTES }));
    files.set(`/${version}`, file);
    const digest = `sha256:${createHash('sha256').update(file).digest('hex')}`;
    const artifact = { platform: 'linux/amd64', digest, size: file.length };
    const artifacts = [{ ...artifact, url: `http://127.0.0.1:${port}/${version}` }];
    const release = readRelease({ version, artifacts });
    if (!release.ok) throw new Error(release.error.join());
    catalogue.publish(moduleId(`acme:${MODULE}`), release.value, Date.now());
  };
  try {
    return await work({ address: `${registry.address}/v1`, publish });
  } finally {
    await registry.close();
    server.close();
    server.closeAllConnections();
    catalogue.close();
    rmSync(folder, { recursive: true });
  }
}
