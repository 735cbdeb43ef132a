/*
 * Installs the file `package.tgz` beside its home, whose folder is the first argument, and prints the result as JSON. Kills itself at
 * the step that is the second argument.
 */
import { readFileSync } from 'node:fs';
import { install } from './installing.ts';
import { artifactOf, partOf } from '../../mocks/file-server.ts';

const [folder = '', last] = process.argv.slice(2);
const file = readFileSync(`${folder}/package.tgz`);

const fetch: typeof globalThis.fetch = async (request) => {
  const { bytes, ...init } = partOf(file, (request as Request).headers.get('range'));
  return await Promise.resolve(new Response(new Uint8Array(bytes), init));
};

const result = await install(`${folder}/home`, artifactOf(file, 'https://files.example/lidar'), {
  fetch: { fetch },
  onStep: ({ kind }) => {
    if (kind === last) process.kill(process.pid, 'SIGKILL');
  },
});
if (!result.ok) {
  process.stderr.write(`${JSON.stringify(result.error)}\n`);
  process.exitCode = 1;
}
