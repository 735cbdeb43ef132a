/* Writes the list of what each folder may import into docs/design/architecture.md: `node tools/import-list.ts`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PAGE, withImportList } from '../test/support/import-list.ts';

const file = join(import.meta.dirname, '..', PAGE);
writeFileSync(file, withImportList(readFileSync(file, 'utf8')));
