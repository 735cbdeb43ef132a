/*
 * Installs the file `package.tgz` beside its home, whose folder is the first argument, and prints the result as JSON. Kills itself at
 * the step that is the second argument.
 */
import { readFileSync } from 'node:fs';
import { install } from './installing.ts';
import { artifactOf } from './package-server.ts';

const [folder = '', last] = process.argv.slice(2);
const file = readFileSync(`${folder}/package.tgz`);

/** Answers like a server with ranges. */
const fetch: typeof globalThis.fetch = async (request) => {
  const [, first = '0'] = /=(\d+)-/.exec((request as Request).headers.get('range') ?? '') ?? [];
  const part = file.subarray(Number(first));
  const headers = {
    'content-length': `${part.length}`,
    'content-range': `bytes ${first}-${file.length - 1}/${file.length}`,
  };
  return await Promise.resolve(new Response(part, { status: first === '0' ? 200 : 206, headers }));
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
