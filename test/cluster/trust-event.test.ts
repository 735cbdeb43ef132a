import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { decodeEvent, encodeEvent, type FleetEvent } from '../../src/cluster/event.ts';
import { importCatalogue } from '../../src/cluster/import-catalogue.ts';
import { systemClock } from '../../src/registry/clock.ts';
import { readTrustDocument } from '../../src/core/trust/trust-document.ts';
import { checkAnswer, newNonce } from '../../src/registry/trust/answer-check.ts';
import { Catalogue, readRelease } from '../../src/server/index.ts';
import { moduleId } from '../support/ask.ts';
import { temporaryFolder } from '../support/folder.ts';
import { memoryStream } from '../support/memory-stream.ts';
import {
  APPROVER,
  AUTHOR,
  key,
  role,
  ROOT_ONE,
  ROOT_TWO,
  signed,
  trustOf,
} from '../support/signed.ts';
import { tokenFor } from '../support/token.ts';
import { filledStream, frontOf, NOW, type TestFront } from './support/following-front.ts';

const KEYS = [key('front one'), key('front two')];
const ROLES = [role('registry', 1, ...KEYS), role('namespace acme', 1, AUTHOR, APPROVER)];
const TRUST = trustOf(ROLES).text;
const PLAIN = { version: '1.2.0', published_at: '2026-11-21T01:02:03Z' };
const RELEASES = '/v1/modules/acme/lidar/releases';

/** Two fronts of one stream, each with a key of its own, and a way to change something through them. */
async function cluster(clock = systemClock) {
  const { stream: whole } = filledStream();
  let isCutOff = false;
  const last = async (): Promise<number> => {
    if (isCutOff) throw new Error('no leader');
    return await whole.last();
  };
  const stream = { ...whole, last };
  const cutOff = (is: boolean): void => void (isCutOff = is);
  const folder = temporaryFolder();
  const fronts = KEYS.map((one, place) => {
    const path = `${folder}/${place}.db`;
    writeFileSync(`${path}-key`, one.privateKey.export({ type: 'pkcs8', format: 'pem' }));
    return frontOf(stream, path, clock);
  });
  const [one, two] = fronts as [TestFront, TestFront];
  await one.following.reaches(await stream.last(), 5000);
  let tokens = 0;
  const change = async (front: TestFront, method: string, path: string, json: object) => {
    await front.following.reaches(await stream.last(), 5000);
    const token = tokenFor(front.catalogue, ['trust', 'import'], `token-${++tokens}`);
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const answer = await front.ask(path, { method, headers, body: JSON.stringify(json) });
    return [answer.status, answer.json['detail'] ?? answer.json['result']];
  };
  const latest = async (front: TestFront): Promise<Catalogue> => {
    await front.following.reaches(await stream.last(), 5000);
    return front.catalogue;
  };
  return { cutOff, one, two, change, latest };
}

it('[T530] a trust document is an event that earlier fronts take for that of a later modreg', () => {
  const event: FleetEvent = { kind: 'trust', document: TRUST };
  const rows: FleetEvent = { kind: 'rows', rows: [['trust_documents', 1, TRUST]] };
  for (const one of [event, rows]) {
    const text = encodeEvent(one);
    expect(Object(JSON.parse(text)).schema).toBe(2);
    expect(decodeEvent(text)).toEqual({ ok: true, value: { event: one, mended: undefined } });
  }
});

it('[D167] a trust document that one front stores holds on all of them', async () => {
  const { one, two, change, latest } = await cluster();
  expect(await change(one, 'PUT', '/v1/trust', { document: TRUST })).toEqual([200, 'done']);
  expect((await latest(two)).trust.documents()).toEqual([TRUST]);
  // Again, it is no event.
  expect(await change(two, 'PUT', '/v1/trust', { document: TRUST })).toEqual([200, 'unchanged']);
  expect(await change(two, 'POST', RELEASES, PLAIN)).toEqual([
    422,
    expect.stringMatching(/has no signature/),
  ]);
  const release = signed('acme:lidar', PLAIN, AUTHOR);
  expect(await change(two, 'POST', RELEASES, release)).toEqual([201, 'published']);
});

it('[D167] of two versions that two fronts take at once one is stored', async () => {
  const { one, two, change, latest } = await cluster();
  await change(one, 'PUT', '/v1/trust', { document: TRUST });
  await latest(two);
  const second = [ROOT_ONE, ROOT_TWO].map((by) => trustOf(ROLES, [by], { version: 2 }).text);
  const answers = await Promise.all(
    [one, two].map(
      async (front, place) => await change(front, 'PUT', '/v1/trust', { document: second[place] }),
    ),
  );
  expect(answers.map(([status]) => status).toSorted((a, b) => Number(a) - Number(b))).toEqual([
    200, 422,
  ]);
  const [first, last] = [await latest(one), await latest(two)];
  expect(first.trust.documents()).toEqual(last.trust.documents());
  expect(first.trust.documents()).toHaveLength(2);
});

it('[D167] signatures that are added at one front are on all of them', async () => {
  const { one, two, change, latest } = await cluster();
  await change(one, 'POST', RELEASES, signed('acme:lidar', PLAIN, AUTHOR));
  const both = signed('acme:lidar', PLAIN, AUTHOR, APPROVER);
  expect(await change(one, 'POST', RELEASES, both)).toEqual([200, 'signed']);
  await latest(two);
  const list = Object((await two.ask('/v1/modules/acme/lidar')).json);
  expect(list.releases.at(-1).signatures).toEqual(both.signatures);
});

it('[D167] an import brings the trust documents', async () => {
  const single = new Catalogue(`${temporaryFolder()}/registry.db`, { mode: 'create' });
  single.trust.store(TRUST);
  const release = readRelease(signed('acme:lidar', PLAIN, AUTHOR));
  if (release.ok) single.publish(moduleId('acme:lidar'), release.value, NOW);
  const stream = memoryStream();
  expect((await importCatalogue(single, stream, { now: NOW })).kind).toBe('imported');
  single.close();
  const front = frontOf(stream, `${temporaryFolder()}/front.db`);
  await front.following.reaches(await stream.last(), 5000);
  expect(front.catalogue.trust.documents()).toEqual([TRUST]);
});

it('[D168] a front answers a nonce, with a key of its own, until its cluster has not answered for a minute', async () => {
  let now = 0;
  const clock = { ...systemClock, monotonic: () => now };
  const { cutOff, one, two, change, latest } = await cluster(clock);
  await change(one, 'PUT', '/v1/trust', { document: TRUST });
  await latest(two);
  const document = readTrustDocument(TRUST);
  if (!document.ok) throw new Error(document.error);
  const ask = async (front: TestFront, path: string): Promise<number> => {
    const nonce = newNonce();
    const response = await front.fetch(`http://front.test${path}nonce=${nonce}`);
    if (response.status !== 200) return response.status;
    const sha256 = createHash('sha256')
      .update(await response.text())
      .digest('hex');
    const question = path.includes('changes') ? 'changes 0' : 'list acme:lidar';
    const header = response.headers.get('modreg-signature');
    checkAnswer(document.value, { question, nonce, sha256 }, header, 'front');
    return 200;
  };
  const LIST = '/v1/modules/acme/lidar?';
  for (const front of [one, two]) {
    expect([await ask(front, '/v1/changes?after=0&'), await ask(front, LIST)]).toEqual([200, 200]);
  }
  cutOff(true);
  await vi.waitUntil(() => one.events.some(({ kind }) => kind === 'unreachable'), 20_000);
  now = 39_999;
  expect(await ask(one, LIST)).toBe(200);
  now = 40_000;
  expect([await ask(one, '/v1/changes?after=0&'), await ask(one, LIST)]).toEqual([503, 503]);
  // Without a nonce, it serves on.
  expect((await one.ask('/v1/changes?after=0')).status).toBe(200);
  expect((await one.ask('/v1/modules/acme/lidar')).status).toBe(200);
  cutOff(false);
  await vi.waitUntil(() => one.events.at(-1)?.kind === 'following', 20_000);
  expect(await ask(one, LIST)).toBe(200);
});
