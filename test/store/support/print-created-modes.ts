/*
 * Opens machine.db and registry.db in the folder that is its argument, and upgrades an earlier machine.db. Prints the modes of
 * all files with which they were created: nothing changes a mode later, and the process masks nothing.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

for (const change of ['chmodSync', 'fchmodSync'] as const) fs[change] = () => undefined;
syncBuiltinESMExports();
process.umask(0);

const { Catalogue } = await import('../../../src/server/index.ts');
const { openForPoller } = await import('../../../src/store/index.ts');
const { LAYOUT } = await import('../../../src/store/machine-layout.ts');
const { openDatabase } = await import('../../../src/sqlite/database.ts');

const folder = String(process.argv[2]);
const opening = { mode: 'create', busyTimeoutMs: 5000 } as const;
const earlier = { ...LAYOUT, migrations: LAYOUT.migrations.slice(0, 2), oldestReader: 2 };
openDatabase(`${folder}/earlier.db`, earlier, opening).close();
const files = [
  openForPoller(`${folder}/earlier.db`),
  openForPoller(`${folder}/machine.db`),
  new Catalogue(`${folder}/registry.db`, { mode: 'create' }),
];
for (const name of fs.readdirSync(folder)) {
  const mode = fs.statSync(`${folder}/${name}`).mode & 0o777;
  process.stdout.write(`${mode.toString(8)} ${name}\n`);
}
for (const file of files) file.close();
