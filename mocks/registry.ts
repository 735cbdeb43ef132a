import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { http, type RequestHandler } from 'msw';
import { parseModuleId } from '../src/core/index.ts';
import { Catalogue, readRelease } from '../src/server/index.ts';
import { registryApp } from '../src/server/app.ts';
import { changeFeed } from '../src/server/change-feed.ts';
import type { Releases } from './catalogues.ts';
import type { Fault } from './faults.ts';

/** A registry that responds to `fetch` without a server. */
export interface MockRegistry {
  readonly address: string;
  /** For msw's `setupServer`. */
  readonly handlers: readonly RequestHandler[];
  /** The catalogue of the registry. A test may change it at any time. */
  readonly catalogue: Catalogue;
  /** Method, path and query of each request so far. */
  readonly requests: readonly string[];
  /** Adds faults. Each applies to the next requests, in order, until its last use. */
  break(...faults: readonly Fault[]): void;
  /** Removes all faults. */
  mend(): void;
  close(): void;
}

/** A registry with `releases`: msw passes requests to the app of the real registry. */
export function mockRegistry(
  releases: Releases,
  { address = 'https://registry.example' }: { readonly address?: string } = {},
): MockRegistry {
  const folder = mkdtempSync(join(tmpdir(), 'modreg-mock-'));
  const catalogue = new Catalogue(join(folder, 'registry.db'), { mode: 'create' });
  publish(catalogue, releases);
  const feed = changeFeed(catalogue);
  const app = registryApp(catalogue, feed, { clock: Date.now, spreadMs: 0 });
  const requests: string[] = [];
  const broken: Fault[] = [];
  const handler = http.all(`${address}/*`, async ({ request }) => {
    const { pathname, search } = new URL(request.url);
    requests.push(`${request.method} ${pathname}${search}`);
    const respond = async (): Promise<Response> => await app.fetch(request);
    while (broken.length > 0) {
      const response = await broken[0]?.(respond);
      if (response) return response;
      broken.shift();
    }
    return await respond();
  });
  return {
    address,
    handlers: [handler],
    catalogue,
    requests,
    break: (...faults) => broken.push(...faults),
    mend: () => void broken.splice(0),
    close: () => {
      feed.close();
      catalogue.close();
      rmSync(folder, { recursive: true });
    },
  };
}

function publish(catalogue: Catalogue, releases: Releases): void {
  for (const [id, list] of Object.entries(releases)) {
    const moduleId = parseModuleId(id);
    if (!moduleId.ok) throw new Error(moduleId.error.message);
    for (const { yanked, ...json } of list) {
      const release = readRelease(json);
      if (!release.ok) throw new Error(release.error.join('\n'));
      catalogue.publish(moduleId.value, release.value, Date.now());
      if (yanked !== undefined) catalogue.yank(moduleId.value, release.value.version, yanked);
    }
  }
}
