// Opens the given files with the named layout, once its parent has written to stdin.
import { once } from 'node:events';
import { openDatabase } from '../../../src/sqlite/database.ts';
import type { Layout } from '../../../src/sqlite/schema.ts';
import { LAYOUT } from '../../../src/store/machine-layout.ts';
import { ADDITIVE, ENDLESS } from '../../support/later-layouts.ts';

const LAYOUTS: Readonly<Record<string, Layout>> = {
  today: LAYOUT,
  additive: ADDITIVE,
  endless: ENDLESS,
};
const [, , name = '', ...paths] = process.argv;
const layout = LAYOUTS[name] ?? LAYOUT;
process.stdout.write('ready\n');
await once(process.stdin, 'data');
for (const path of paths) {
  openDatabase(path, layout, { mode: 'create', busyTimeoutMs: 5000 }).close();
}
process.stdin.destroy();
