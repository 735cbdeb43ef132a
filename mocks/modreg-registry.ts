/*
 * modreg's own registry, without a server: the app of `modreg registry serve` itself, so that it cannot differ from it.
 * (docs/registry-protocol.md)
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { systemClock } from '../src/registry/clock.ts';
import { registryApp } from '../src/server/app.ts';
import { changeFeed } from '../src/server/catalogue/change-feed.ts';
import { Catalogue } from '../src/server/index.ts';
import type { Answer } from './network.ts';

interface ModregRegistry {
  readonly answer: Answer;
  readonly catalogue: Catalogue;
}

/** An empty registry. Machines need not wait before they read a change. */
export function modregRegistry(): ModregRegistry {
  const folder = mkdtempSync(join(tmpdir(), 'modreg-'));
  const catalogue = new Catalogue(join(folder, 'registry.db'), { mode: 'create' });
  const feed = changeFeed(catalogue);
  onTestFinished(() => {
    feed.close();
    catalogue.close();
    rmSync(folder, { recursive: true });
  });
  const app = registryApp(catalogue, feed, { clock: systemClock, spreadMs: 0 });
  return { answer: async (request) => await app.fetch(request), catalogue };
}
