import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Front } from './fronts.ts';
import { ask, openSite, streamLeader, type Asked, type Site } from './site.ts';

const LIST = '/v1/modules/acme/lidar';
const RELEASES = `${LIST}/releases`;
const STREAM = 'RELEASES';

async function site(fronts: number): Promise<Site> {
  const opened = await openSite(fronts);
  onTestFinished(opened.close);
  return opened;
}

async function publish(
  front: Front,
  { token }: Site,
  version: string,
  content: object = {},
): Promise<Asked> {
  return await ask(front, RELEASES, { method: 'POST', token, body: { version, ...content } });
}

/** Publishes until it succeeds. */
async function publishAgain(front: Front, opened: Site, version: string): Promise<void> {
  await expect
    .poll(async () => (await publish(front, opened, version)).status, { interval: 50 })
    .toBeLessThan(300);
}

async function versionsAt(front: Front): Promise<unknown[]> {
  const { json } = await ask(front, LIST);
  return ((json['releases'] ?? []) as { version: string }[]).map(({ version }) => version);
}

/** Resolves once each front has the same list with these versions, in the order of their publication, and the same feed. */
async function expectVersions(
  fronts: readonly Front[],
  versions: readonly string[],
): Promise<void> {
  for (const front of fronts) {
    await expect.poll(async () => await versionsAt(front)).toEqual(versions);
  }
  const lists = await textsOf(fronts, LIST);
  expect(new Set(lists).size).toBe(1);
  // A change of another module may still be on its way to one of them.
  const differentFeeds = async (): Promise<number> =>
    new Set(await textsOf(fronts, '/v1/changes')).size;
  await expect.poll(differentFeeds).toBe(1);
}

async function textsOf(fronts: readonly Front[], path: string): Promise<string[]> {
  return await Promise.all(fronts.map(async (front) => (await ask(front, path)).text));
}

async function clientOf({ cluster }: Site): Promise<NatsConnection> {
  const nats = await connect({ servers: cluster.servers.split(','), maxReconnectAttempts: -1 });
  onTestFinished(async () => await nats.close());
  return nats;
}

async function expectProblem(
  asked: Promise<Asked>,
  status: number,
  type: string,
  retryAfter: string | null = null,
): Promise<void> {
  const { status: found, json, headers } = await asked;
  expect([found, json['type'], headers.get('retry-after')]).toEqual([
    status,
    `urn:modreg:${type}`,
    retryAfter,
  ]);
}

describe('the nodes of a cluster', () => {
  it('[T180] of which one is killed that leads: publishing resumes once another one leads', async () => {
    const opened = await site(2);
    const [first, second] = opened.fronts as [Front, Front];
    await publishAgain(first, opened, '1.0.0');
    const leader = await streamLeader(opened.cluster, STREAM);
    await leader?.kill();
    await publishAgain(second, opened, '1.0.1');
    expect(await versionsAt(second)).toEqual(['1.0.0', '1.0.1']);
    await expectVersions(opened.fronts, ['1.0.0', '1.0.1']);
    leader?.start();
    await opened.cluster.ready();
    await publishAgain(first, opened, '1.0.2');
    await expectVersions(opened.fronts, ['1.0.0', '1.0.1', '1.0.2']);
  });

  it('[T181] of which two are down: lists are read, and a change is refused with 503', async () => {
    const opened = await site(1);
    const [front] = opened.fronts as [Front];
    await publishAgain(front, opened, '1.0.0');
    const [one, two] = opened.cluster.nodes;
    await one?.kill();
    await two?.kill();
    await expectProblem(publish(front, opened, '1.0.1'), 503, 'unavailable', '5');
    expect(await versionsAt(front)).toEqual(['1.0.0']);
    expect((await ask(front, '/healthz')).status).toBe(200);
    one?.start();
    await opened.cluster.ready();
    await publishAgain(front, opened, '1.0.2');
    expect((await versionsAt(front)).at(-1)).toBe('1.0.2');
  });

  it('[T182] which are all killed: all that was published is there when they are back', async () => {
    const opened = await site(2);
    const [first, second] = opened.fronts as [Front, Front];
    await publishAgain(first, opened, '1.0.0');
    await publishAgain(second, opened, '1.0.1');
    await expectVersions(opened.fronts, ['1.0.0', '1.0.1']);
    for (const node of opened.cluster.nodes) await node.kill();
    await first.kill();
    await first.start();
    expect(await versionsAt(first)).toEqual(['1.0.0', '1.0.1']);
    await expectProblem(publish(first, opened, '1.0.2'), 503, 'unavailable', '5');
    for (const node of opened.cluster.nodes) node.start();
    await opened.cluster.ready();
    await publishAgain(first, opened, '1.0.2');
    await expectVersions(opened.fronts, ['1.0.0', '1.0.1', '1.0.2']);
  });
});

describe('a stream that was lost', () => {
  it('[T183] is filled from the fronts, with the same numbers', async () => {
    const opened = await site(2);
    const [first] = opened.fronts as [Front];
    for (const version of ['1.0.0', '1.0.1', '1.0.2']) await publishAgain(first, opened, version);
    const before = (await ask(first, '/v1/changes')).text;
    const manager = await jetstreamManager(await clientOf(opened));
    const { state } = await manager.streams.info(STREAM);
    await manager.streams.delete(STREAM);
    await expect
      .poll(async () => (await manager.streams.info(STREAM).catch(() => undefined))?.state.last_seq)
      .toBe(state.last_seq);
    await expectVersions(opened.fronts, ['1.0.0', '1.0.1', '1.0.2']);
    expect((await ask(first, '/v1/changes')).text).toBe(before);
    const newest = await opened.add();
    await publishAgain(newest, opened, '1.0.3');
    await expectVersions(opened.fronts, ['1.0.0', '1.0.1', '1.0.2', '1.0.3']);
  });

  it('[T183] takes no event before it is filled', async () => {
    const opened = await site(2);
    const [first, second] = opened.fronts as [Front, Front];
    for (const version of ['1.0.0', '1.0.1', '1.0.2']) await publishAgain(first, opened, version);
    await expectVersions(opened.fronts, ['1.0.0', '1.0.1', '1.0.2']);
    const manager = await jetstreamManager(await clientOf(opened));
    const { config } = await manager.streams.info(STREAM);
    await manager.streams.delete(STREAM);
    await manager.streams.add(config);
    // Of modules that the stream has never had, so that it would accept them as its first events.
    const publishNew = async (front: Front, name: string): Promise<number> => {
      const sent = { method: 'POST', token: opened.token, body: { version: '1.0.0' } };
      return (await ask(front, `/v1/modules/acme/${name}/releases`, sent)).status;
    };
    const statuses = await Promise.all([publishNew(first, 'arm'), publishNew(second, 'base')]);
    expect(statuses).toEqual([201, 201]);
    await expectVersions(opened.fronts, ['1.0.0', '1.0.1', '1.0.2']);
    for (const front of opened.fronts) {
      expect((await ask(front, '/healthz')).status).toBe(200);
      const { json } = await ask(front, '/v1/modules');
      expect(json['modules']).toEqual(['acme:arm', 'acme:base', 'acme:lidar']);
    }
  });

  it('[T183] and replaced by another: the front that knows the first one stops, and says so', async () => {
    const opened = await site(1);
    const [front] = opened.fronts as [Front];
    await publishAgain(front, opened, '1.0.0');
    await front.kill();
    const manager = await jetstreamManager(await clientOf(opened));
    await manager.streams.delete(STREAM);
    const other = await opened.add();
    await publishAgain(other, opened, '2.0.0');
    await front.start();
    await expect.poll(async () => (await ask(front, '/healthz')).status).toBe(503);
    expect((await ask(front, '/healthz')).json['detail']).toContain('the stream was replaced');
    expect(await versionsAt(front)).toEqual(['1.0.0']);
    const [old, anew] = await Promise.all(
      opened.fronts.map(async (one) => (await ask(one, '/v1/changes')).json['history']),
    );
    expect(anew).not.toBe(old);
  });
});

describe('a front', () => {
  it('[T184] that is killed has missed nothing when it is back, with the same numbers', async () => {
    const opened = await site(2);
    const [first, second] = opened.fronts as [Front, Front];
    await publishAgain(first, opened, '1.0.0');
    await first.kill();
    await publishAgain(second, opened, '1.0.1');
    await publishAgain(second, opened, '1.0.2');
    await first.start();
    await expectVersions(opened.fronts, ['1.0.0', '1.0.1', '1.0.2']);
    expect((await ask(first, LIST)).json['generation']).toBe(3);
  });

  it('[T185] that lags answers 503 `behind` to a machine that knows more', async () => {
    const opened = await site(2);
    const [first, second] = opened.fronts as [Front, Front];
    await publishAgain(first, opened, '1.0.0');
    await expectVersions(opened.fronts, ['1.0.0']);
    opened.links[1]?.hold();
    await publishAgain(first, opened, '1.0.1');
    const { json } = await ask(first, '/v1/changes');
    const headers = {
      'modreg-at-least': `${Number(json['sequence'])}`,
      'modreg-history': String(json['history']),
    };
    await expectProblem(ask(second, LIST, { headers }), 503, 'behind', '1');
    expect(await versionsAt(second)).toEqual(['1.0.0']);
    opened.links[1]?.release();
    await expect.poll(async () => (await ask(second, LIST, { headers })).status).toBe(200);
    await expectVersions(opened.fronts, ['1.0.0', '1.0.1']);
  });

  it('[T187] whose connection falls silent opens another one', async () => {
    const opened = await site(2);
    const [first, second] = opened.fronts as [Front, Front];
    await publishAgain(first, opened, '1.0.0');
    await expectVersions(opened.fronts, ['1.0.0']);
    opened.links[1]?.freeze();
    await publishAgain(first, opened, '1.0.1');
    await expect.poll(async () => await versionsAt(second)).toEqual(['1.0.0', '1.0.1']);
  });

  it('[T188] does not pass over an event of a later modreg, and reports it', async () => {
    const opened = await site(2);
    const [first, second] = opened.fronts as [Front, Front];
    await publishAgain(first, opened, '1.0.0');
    await expectVersions(opened.fronts, ['1.0.0']);
    await jetstream(await clientOf(opened)).publish('modreg.release.acme.lidar', '{"schema":4}');
    for (const front of [first, second]) {
      await expect.poll(async () => (await ask(front, '/healthz')).status).toBe(503);
      const { json } = await ask(front, '/healthz');
      expect(json['detail']).toContain('schema 4, and this modreg understands 3');
      expect((await ask(front, LIST)).status).toBe(503);
      expect((await publish(front, opened, '1.0.1')).status).toBe(503);
    }
  });
});

describe('a change', () => {
  it('[T189] of a module of which others are made at the same time is made after them, on any front', async () => {
    const opened = await site(2);
    const [first, second] = opened.fronts as [Front, Front];
    await publishAgain(first, opened, '1.0.0');
    await expectVersions(opened.fronts, ['1.0.0']);
    const statuses = await Promise.all(
      [first, first, first, second, second].map(
        async (front, place) => (await publish(front, opened, `1.0.${1 + place}`)).status,
      ),
    );
    expect(statuses).toEqual([201, 201, 201, 201, 201]);
    const all = new Set(['1.0.0', '1.0.1', '1.0.2', '1.0.3', '1.0.4', '1.0.5']);
    for (const front of opened.fronts) {
      await expect.poll(async () => new Set(await versionsAt(front))).toEqual(all);
    }
  });

  it('[T189] that two make at the same time on two fronts: the second gets 409', async () => {
    const opened = await site(2);
    const results = await Promise.all(
      opened.fronts.map(async (front, place) => {
        const content = { deprecated: `by front ${place}` };
        return await publish(front, opened, '1.0.0', content);
      }),
    );
    expect(new Set(results.map(({ status }) => status))).toEqual(new Set([201, 409]));
    await expectVersions(opened.fronts, ['1.0.0']);
  });

  it('[T190] whose acknowledgement is lost is sent again unchanged, and made once', async () => {
    const opened = await site(2);
    const [first] = opened.fronts as [Front];
    await publishAgain(first, opened, '1.0.0');
    await expectVersions(opened.fronts, ['1.0.0']);
    opened.links[0]?.mute();
    const { status, json } = await publish(first, opened, '1.0.1');
    expect([status, json['result']]).toEqual([201, 'published']);
    await expectVersions(opened.fronts, ['1.0.0', '1.0.1']);
    const { json: list } = await ask(first, LIST);
    expect(list['generation']).toBe(2);
  });
});
