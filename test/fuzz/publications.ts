import type { ModuleId } from '../../src/core/index.ts';
import { answeredBy } from '../../mocks/replaced-fetch.ts';
import { backUp } from '../../src/server/backup/backup.ts';
import { checkRegistry } from '../../src/server/backup/registry-check.ts';
import { restore } from '../../src/server/backup/restore.ts';
import { catalogueRegistry } from '../../src/server/catalogue/catalogue-registry.ts';
import { Catalogue } from '../../src/server/index.ts';
import { remoteAt } from '../support/remote-at.ts';
import { batchTarget } from './batches.ts';
import { askedChanges, type AskedChanges, type ChangeRequest } from './change-requests.ts';
import { wrongList } from './lists.ts';
import { memoryStream } from '../support/memory-stream.ts';
import { WrongAnswer } from './read-site.ts';
import { NOW } from './report-texts.ts';
import { emptyFolder } from './scratch.ts';
import type { Target } from './target.ts';
import { begin, writtenSite, type WrittenSite } from './written-site.ts';

const ADDRESS = 'https://registry.test';
const INTERNAL_ERROR = 500;

async function judgePublications(inputs: readonly AskedChanges[]): Promise<string | undefined> {
  const stream = memoryStream();
  await begin(stream);
  const server = writtenSite('server');
  const fronts = [writtenSite('front', stream), writtenSite('other-front', stream)] as const;
  const [front, other] = fronts;
  try {
    for (const site of fronts) await site.reaches(1);
    await askAll(server, inputs, 'server');
    await askAll(front, inputs, 'fronts');
    await other.reaches(await stream.last());
    for (const site of [server, ...fronts]) await expectReadable(site);
    for (const id of front.catalogue.modules()) {
      const [one, two] = [await listAt(front, id), await listAt(other, id)];
      if (one !== two) return `${id}: the fronts answer ${one} and ${two}`;
    }
    return undefined;
  } catch (error) {
    if (error instanceof WrongAnswer) return error.message;
    throw error;
  } finally {
    for (const site of [server, ...fronts]) await site.close();
  }
}

/** So many modules change at the same time. */
const AT_ONCE = 20;

/** Asks for the changes of all modules, between those of an honest one. */
async function askAll(
  site: WrittenSite,
  inputs: readonly AskedChanges[],
  by: AskedChanges['by'],
): Promise<void> {
  const own = [...inputs.entries()].filter(([, input]) => input.by === by);
  await publishHonestly(site, '1.0.0');
  for (let from = 0; from < own.length; from += AT_ONCE) {
    await Promise.all(
      own.slice(from, from + AT_ONCE).map(async ([place, { requests }]) => {
        await askInOrder(site, `m${place}`, requests);
      }),
    );
  }
  await publishHonestly(site, '1.0.1');
}

async function publishHonestly(site: WrittenSite, version: string): Promise<void> {
  const request = { kind: 'publish', version, body: JSON.stringify({ version }) } as const;
  const { status, text } = await answerTo(site, 'honest', request);
  if (status === 201) return;
  throw new WrongAnswer(`${site.name}: an honest publication gets ${status}: ${text}`);
}

async function askInOrder(
  site: WrittenSite,
  namespace: string,
  requests: readonly ChangeRequest[],
): Promise<void> {
  let last = 0;
  for (const request of requests) {
    const body = request.body.replace('"LAST"', `${last}`);
    const { status, text } = await answerTo(site, namespace, { ...request, body });
    if (status >= INTERNAL_ERROR && !isHeldBack(site, status)) {
      throw new WrongAnswer(`${site.name}: ${request.kind} gets ${status}: ${text}`);
    }
    const { sequence } = Object(JSON.parse(text)) as { sequence?: number };
    last = sequence ?? last;
  }
}

/** Once a front has trouble, that is what is reported. */
function isHeldBack(site: WrittenSite, status: number): boolean {
  return status === 503 && site.trouble() !== undefined;
}

const METHODS = { publish: 'POST', yank: 'PUT', unyank: 'DELETE', rollout: 'POST' } as const;

async function answerTo(
  site: WrittenSite,
  namespace: string,
  { kind, version, body }: ChangeRequest,
): Promise<{ readonly status: number; readonly text: string }> {
  const releases = `/v1/modules/${namespace}/lidar/releases`;
  const release = `${releases}/${encodeURIComponent(version.toWellFormed())}`;
  const path = {
    publish: releases,
    yank: `${release}/yank`,
    unyank: `${release}/yank`,
    rollout: `${release}/rollout`,
  }[kind];
  const headers = { authorization: `Bearer ${site.token}`, 'content-type': 'application/json' };
  const sent = kind === 'unyank' ? {} : { body };
  const request = new Request(new URL(path, ADDRESS), { method: METHODS[kind], headers, ...sent });
  const answer = await site.fetch(request);
  const text = await answer.text();
  const cause = site.error();
  const shown = answer.status === INTERNAL_ERROR && cause instanceof Error ? cause.stack : text;
  return { status: answer.status, text: shown ?? text };
}

/** So many modules are read as each other reader reads them. */
const MOST_READ = 25;

/** Throws a WrongAnswer if some reader cannot read what was published. */
async function expectReadable(site: WrittenSite): Promise<void> {
  const { name, catalogue } = site;
  const trouble = site.trouble();
  if (trouble !== undefined) throw new WrongAnswer(`${name}: ${trouble}`);
  const modules = catalogue.modules();
  if (modules.length === 0) throw new WrongAnswer(`${name} has no module`);
  for (const id of modules) await expectDecodable(site, id);
  for (const path of ['/v1/modules', '/v1/changes?since=0', '/v1/fleet/rollouts'])
    await get(site, path);
  const file = catalogueRegistry(catalogue.path, () => NOW);
  for (const id of modules.slice(0, MOST_READ)) {
    const wrong = wrongList({ ...(await file.read(id)), generation: undefined });
    if (wrong !== undefined) throw new WrongAnswer(`${name}: the file of ${id}: ${wrong}`);
  }
  const { findings } = checkRegistry(catalogue.path);
  if (findings.length > 0) throw new WrongAnswer(`${name}: verify: ${findings.join('; ')}`);
  await expectRestorable(site);
}

async function get(site: WrittenSite, path: string): Promise<string> {
  const headers = { authorization: `Bearer ${site.token}` };
  const answer = await site.fetch(new Request(`${ADDRESS}${path}`, { headers }));
  const text = await answer.text();
  if (answer.status === 200) return text;
  throw new WrongAnswer(`${site.name}: GET ${path} is ${answer.status}: ${text}`);
}

async function listAt(site: WrittenSite, id: ModuleId): Promise<string> {
  return await get(site, `/v1/modules/${id.replace(':', '/')}`);
}

/** A machine reads each release of the list. */
async function expectDecodable(site: WrittenSite, id: ModuleId): Promise<void> {
  const round = { budget: { requests: 0, retries: 0 } };
  const remote = remoteAt(ADDRESS, { limits: { retryWithinMs: 0 } });
  const list = await answeredBy(
    async (request) => await site.fetch(request),
    async () => await remote.fetch(id, undefined, round),
  );
  const releases = JSON.parse(await listAt(site, id)).releases.length;
  const wrong = wrongList(list) ?? (list.dropped.length > 0 ? list.dropped.join('; ') : undefined);
  const read = [...list.records].length;
  if (wrong !== undefined) throw new WrongAnswer(`${site.name}: a machine reads ${id}: ${wrong}`);
  if (read === releases) return;
  throw new WrongAnswer(`${site.name}: a machine reads ${read} of ${releases} releases of ${id}`);
}

async function expectRestorable({ name, catalogue }: WrittenSite): Promise<void> {
  const folder = emptyFolder('backup');
  const saved = await backUp(catalogue.path, folder, NOW);
  if (saved.kind !== 'done') throw new WrongAnswer(`${name}: backup: ${JSON.stringify(saved)}`);
  const path = `${emptyFolder('restored')}/registry.db`;
  const restored = restore(folder, path, { replaces: false, now: NOW });
  if (restored.kind !== 'done') throw new WrongAnswer(`${name}: restore: ${restored.kind}`);
  const other = new Catalogue(path);
  try {
    const [one, two] = [catalogue, other].map((from) =>
      from.modules().map((id) => [id, releasesOf(from, id)].join(' ')),
    );
    if (one?.join('\n') === two?.join('\n')) return;
    throw new WrongAnswer(
      `${name}: the restored registry has ${two?.join()}, expected ${one?.join()}`,
    );
  } finally {
    other.close();
  }
}

/** The versions of a module. A restore halts rollouts, so the rest may differ. */
function releasesOf(catalogue: Catalogue, id: ModuleId): string {
  const { releases } = JSON.parse(Buffer.from(catalogue.document(id)?.bytes ?? []).toString()) as {
    releases: { version: string; published_at: string }[];
  };
  return JSON.stringify(releases.map(({ version, published_at }) => [version, published_at]));
}

export const PUBLICATIONS: readonly Target[] = [
  batchTarget({
    name: 'publications',
    faults: 'T301',
    perMille: 10,
    inputs: askedChanges,
    size: 200,
    judge: judgePublications,
    show: ({ by, requests }) => {
      const lines = requests.map(
        ({ kind, version, body }) => `${kind} ${version} ${body.slice(0, 600)}`,
      );
      return `by ${by}: ${lines.join('\nthen ')}`;
    },
  }),
];
