// Uses each token of the given catalogue, and prints when each was last used.
import { Catalogue } from '../../../src/server/index.ts';

const [, , path = ''] = process.argv;
const catalogue = new Catalogue(path, { mode: 'read' });
for (const token of catalogue.tokens()) {
  catalogue.recordUse({ ...token, scopes: [] }, Date.now());
}
for (const { id, lastUsedAt } of catalogue.tokens()) {
  process.stdout.write(`${id} last used: ${lastUsedAt ?? 'never'}\n`);
}
