import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { parseModuleId } from '../../src/core/index.ts';

/** A registry, and a server for the files of its releases. */
export interface Site {
  readonly registry: string;
  /** Publishes a release whose file is this shell script. */
  readonly publish: (moduleId: string, version: string, program: string) => void;
  /** The next download of the file stops after its first half, and `onHalf` is called. */
  readonly interruptOnce: (moduleId: string, version: string, onHalf: () => void) => void;
  readonly close: () => Promise<void>;
}

const LOOPBACK = '127.0.0.1';
/** Before the program, so that half a file is another program. */
const PADDING = `${'#'.repeat(63)}\n`.repeat(65_536);

/** Starts a site with the `modreg/server` at this path. */
export async function openSite(folder: string, server: string): Promise<Site> {
  const installed = (await import(server)) as typeof import('../../src/server/index.ts');
  const { Catalogue, readRelease, serveRegistry } = installed;
  const host = await hostFiles();
  const catalogue = new Catalogue(join(folder, 'registry.db'), { mode: 'create' });
  const place = { host: LOOPBACK, port: 0 };
  const running = await serveRegistry(catalogue, place, { spreadMs: 0 });
  return {
    registry: running.address,
    publish(moduleId, version, program) {
      const file = host.add(`/${moduleId}/${version}`, `#!/bin/sh\n${PADDING}${program}\n`);
      const artifacts = [{ platform: 'any', ...file }];
      const [id, release] = [parseModuleId(moduleId), readRelease({ version, artifacts })];
      if (!id.ok || !release.ok) throw new Error(`cannot publish ${moduleId} ${version}`);
      catalogue.publish(id.value, release.value, Date.now());
    },
    interruptOnce: (moduleId, version, onHalf) =>
      host.interruptions.set(`/${moduleId}/${version}`, onHalf),
    async close() {
      host.close();
      await running.close();
      catalogue.close();
    },
  };
}

interface FileHost {
  readonly add: (
    path: string,
    content: string,
  ) => { readonly url: string; readonly digest: string };
  /** By path; each is used once. */
  readonly interruptions: Map<string, () => void>;
  readonly close: () => void;
}

async function hostFiles(): Promise<FileHost> {
  const files = new Map<string, string>();
  const interruptions = new Map<string, () => void>();
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    const file = files.get(path) ?? '';
    const onHalf = interruptions.get(path);
    interruptions.delete(path);
    if (onHalf) response.write(file.slice(0, file.length / 2), onHalf);
    else response.end(file);
  });
  server.listen(0, LOOPBACK);
  await once(server, 'listening');
  const address = `http://${LOOPBACK}:${(server.address() as AddressInfo).port}`;
  return {
    add(path, content) {
      files.set(path, content);
      const digest = createHash('sha256').update(content).digest('hex');
      return { url: `${address}${path}`, digest: `sha256:${digest}` };
    },
    interruptions,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
