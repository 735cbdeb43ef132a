import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { Catalogue, readRelease, serveRegistry } from '../../src/server/index.ts';
import { moduleId } from '../support/ask.ts';
import { BEFORE, MODULES, NEWEST } from './agent-task.ts';

/** Serves the releases of the agent's task while `work` runs. */
export async function withAgentRegistry<T>(work: (address: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(`${tmpdir()}/modreg-fault-registry-`);
  const catalogue = new Catalogue(`${folder}/registry.db`, { mode: 'create' });
  for (const name of MODULES) {
    for (const version of [BEFORE[name], NEWEST[name]]) {
      const release = readRelease({ version });
      if (release.ok) catalogue.publish(moduleId(`acme:${name}`), release.value, Date.now());
    }
  }
  const place = { host: '127.0.0.1', port: 0 };
  const running = await serveRegistry(catalogue, place, { spreadMs: 0 });
  try {
    return await work(running.address);
  } finally {
    await running.close();
    catalogue.close();
    rmSync(folder, { recursive: true });
  }
}
