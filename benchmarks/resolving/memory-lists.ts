/*
 * Heap and external bytes per release of the lists that a poller keeps, with their indexes: 1,000 modules of 200 releases
 * with two artifacts each, and with a signature if the argument is `signed`. Needs a separate process and --expose-gc. Prints JSON.
 */
import { createHash, randomBytes } from 'node:crypto';
import { openRegistries } from 'modreg/registry';
import { moduleListsOf } from '../../src/registry/module-list.ts';
import { answer } from './answer.ts';
import { constraint, moduleId } from '../parsed.ts';

const MODULES = 1000;
const RELEASES = 200;
const SIGNATURE_BYTES = 64;
const isSigned = process.argv[2] === 'signed';
const PLATFORMS = ['linux/amd64', 'linux/arm64'];

function inUse(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  // `external` includes array buffers.
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function releaseAt(id: string, at: number): object {
  const version = `${Math.floor(at / 100)}.${Math.floor(at / 20) % 5}.${at % 20}`;
  const artifacts = PLATFORMS.map((platform) => ({
    platform,
    url: `https://modules.example/${id}/${version}/${platform}.tar.gz`,
    digest: `sha256:${createHash('sha256').update(`${id} ${version} ${platform}`).digest('hex')}`,
    size: 1_000_000 + at,
  }));
  const published = new Date(1_700_000_000_000 + at * 61_000).toISOString();
  const signature = { '72384182859740ab': randomBytes(SIGNATURE_BYTES).toString('base64') };
  return {
    version,
    published_at: published,
    artifacts,
    ...(isSigned && { signatures: signature }),
  };
}

let bytes = 0;
function respond(url: URL): Response {
  if (url.pathname.endsWith('/changes')) return Response.json({ sequence: 1, modules: [] });
  const id = url.pathname.split('/').slice(-2).join(':');
  const releases = Array.from({ length: RELEASES }, (_, at) => releaseAt(id, at));
  const text = JSON.stringify({ module_id: id, generation: 1, count: RELEASES, releases });
  bytes += text.length;
  return new Response(text, { headers: { 'content-type': 'application/json' } });
}

const fetch = async (url: string | URL | Request): Promise<Response> =>
  await Promise.resolve(respond(new URL(url instanceof Request ? url.url : url)));
const opened = openRegistries({ fetch }).open({ registry: 'https://modules.example' });
if (!opened.ok) throw opened.error;
const ids = Array.from({ length: MODULES }, (_, at) => moduleId(`bench:m${at}`));
const before = inUse();
const lists = await moduleListsOf(await opened.value.readAll(ids));
const answers = Array.from(lists.values(), (list) => {
  if ('error' in list) throw new Error(list.error.message);
  answer(constraint('1.*'), list.index);
  return answer(constraint('latest'), list.index);
});
const after = inUse();
const count = MODULES * RELEASES;
console.log(
  JSON.stringify({
    releases: count,
    bytesOfJson: Math.round(bytes / count),
    bytesPerRelease: Math.round((after - before) / count),
    // Uses the lists, so that they are not collected before the last measurement.
    used: [answers.length, lists.size, (await opened.value.readAll(ids)).size].join(' '),
  }),
);
