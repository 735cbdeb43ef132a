/*
 * modreg's own registry on loopback and a server of the files of its releases, for agents in other processes.
 * (docs/registry-protocol.md)
 */
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { parseModuleId } from '../src/core/index.ts';
import { Catalogue, readRelease, serveRegistry } from '../src/server/index.ts';
import { onLoopback } from './loopback-port.ts';

/** A registry of this process, and a server of the files of its releases. */
interface ReleaseRegistry {
  readonly address: string;
  /** Publishes a release with one file. */
  readonly publish: (release: PublishedRelease) => void;
  readonly close: () => Promise<void>;
}

interface PublishedRelease {
  readonly module: string;
  readonly version: string;
  readonly platform: string;
  readonly file: Buffer;
  /** What the server sends instead of the file. */
  readonly served?: Buffer;
}

/** Serves releases on loopback, whose list is in `folder`. */
export async function serveReleases(
  folder: string,
  options: Parameters<typeof serveRegistry>[2],
): Promise<ReleaseRegistry> {
  const files = new Map<string, Buffer>();
  const server = createServer(({ url = '' }, response) => {
    const file = files.get(url);
    response.writeHead(file ? 200 : 404, { 'content-length': file?.length ?? 0 }).end(file);
  });
  const { port, close } = await onLoopback(server);
  const catalogue = new Catalogue(`${folder}/registry.db`, { mode: 'create' });
  const registry = await serveRegistry(catalogue, { host: '127.0.0.1', port: 0 }, options);
  return {
    address: registry.address,
    publish: ({ module, version, platform, file, served = file }) => {
      const path = `/${module.replace(':', '/')}/${version}`;
      files.set(path, served);
      const digest = `sha256:${createHash('sha256').update(file).digest('hex')}`;
      const url = `http://127.0.0.1:${port}${path}`;
      const artifacts = [{ platform, url, digest, size: file.length }];
      const moduleId = parseModuleId(module);
      const release = readRelease({ version, artifacts });
      if (!moduleId.ok) throw new Error(moduleId.error.message);
      if (!release.ok) throw new Error(release.error.join());
      catalogue.publish(moduleId.value, release.value, Date.now());
    },
    close: async () => {
      await registry.close();
      close();
      catalogue.close();
    },
  };
}
