import { readFileSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { RegistryError } from '../../src/registries/index.ts';
import { catalogueRegistry } from '../../src/server/catalogue/catalogue-registry.ts';
import { Catalogue, readRelease } from '../../src/server/index.ts';
import { DatabaseError } from '../../src/sqlite/database-error.ts';
import { LIDAR, RELEASES } from './list-documents.ts';
import { wrongList, wrongRegistryError } from './lists.ts';
import { emptyFolder } from './scratch.ts';
import { edited, storeEdits, type StoreEdit } from './store-edits.ts';
import type { StoreBytes } from './store-template.ts';
import { isOneLine, target, type Target } from './target.ts';

let template: StoreBytes | undefined;

/** A registry.db that contains a module, a yank and a token. */
export function registryTemplate(): StoreBytes {
  template ??= makeTemplate();
  return template;
}

function makeTemplate(): StoreBytes {
  const path = `${emptyFolder('published')}/registry.db`;
  const catalogue = new Catalogue(path, { mode: 'create' });
  publish(catalogue);
  catalogue.yank(LIDAR, '1.2.9', 'burns');
  catalogue.createToken({ name: 'ci', scopes: ['publish'] }, 1);
  catalogue.close();
  return { main: readFileSync(path), log: Buffer.of() };
}

function publish(catalogue: Catalogue): void {
  for (const release of RELEASES) {
    const published = readRelease(release);
    if (published.ok) catalogue.publish(LIDAR, published.value, 1);
  }
}

async function judgeFile(edits: readonly StoreEdit[]): Promise<string | undefined> {
  const { main, log } = edits.reduce(edited, registryTemplate());
  const path = `${emptyFolder('registry')}/registry.db`;
  writeFileSync(path, main);
  if (log.length > 0) writeFileSync(`${path}-wal`, log);
  return (await read(path)) ?? served(path);
}

/** What is wrong when a command reads the file. */
async function read(path: string): Promise<string | undefined> {
  try {
    const list = await catalogueRegistry(path, () => 0).read(LIDAR);
    return wrongList({ ...list, generation: undefined });
  } catch (error) {
    if (error instanceof RegistryError) return wrongRegistryError(error);
    throw error;
  }
}

/** What is wrong when a server uses the file. */
function served(path: string): string | undefined {
  let wrong: string | undefined;
  const trying = <T>(work: () => T): T | undefined => {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof DatabaseError)) throw error;
      if (!isOneLine(error.message)) wrong ??= `printed ${JSON.stringify(error.message)}`;
      return undefined;
    }
  };
  const catalogue = trying(() => new Catalogue(path));
  if (!catalogue) return wrong;
  trying(() => catalogue.modules());
  trying(() => catalogue.summaries('acme'));
  trying(() => catalogue.changes(0));
  trying(() => catalogue.document(LIDAR));
  trying(() => publish(catalogue));
  trying(() => catalogue.yank(LIDAR, '1.2.3', null));
  trying(() => catalogue.createToken({ name: 'new', scopes: ['publish:acme'], expiresAt: 9 }, 2));
  trying(() => catalogue.tokens());
  trying(() => catalogue.revokeToken('ci', 3));
  trying(() => catalogue.tokenWith('modreg_x'));
  trying(() => catalogue.close());
  return wrong;
}

export const REGISTRY_FILE: readonly Target[] = [
  target({
    name: 'registry-file',
    faults: 'T53',
    perMille: 10,
    inputs: fc.array(storeEdits, { minLength: 1, maxLength: 3 }),
    judge: judgeFile,
  }),
];
