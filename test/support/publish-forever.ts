// Publishes to the given catalogue until killed, and prints each version after it is published.
import { parseModuleId } from '../../src/core/index.ts';
import { Catalogue, readRelease } from '../../src/server/index.ts';

const [, , path = ''] = process.argv;
const catalogue = new Catalogue(path);
const moduleId = parseModuleId('acme:lidar');
for (let patch = 0; moduleId.ok; patch++) {
  const version = `${process.pid}.0.${patch}`;
  const release = readRelease({ version });
  if (release.ok) catalogue.publish(moduleId.value, release.value, Date.now());
  process.stdout.write(`${version}\n`);
}
