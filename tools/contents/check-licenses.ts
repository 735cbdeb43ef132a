/* Checks the licenses of everything that the built package contains or installs: a part of `npm run static`. */
import { join } from 'node:path';
import { componentsOf } from './components.ts';
import { licenseProblems } from './licenses.ts';

const problems = licenseProblems(componentsOf(join(import.meta.dirname, '../..')));
for (const problem of problems) console.error(problem);
if (problems.length > 0) {
  console.error('replace the package, or allow its license in tools/contents/licenses.ts');
  process.exitCode = 1;
}
