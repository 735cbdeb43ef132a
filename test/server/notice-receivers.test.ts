import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { fleetPath } from '../../src/server/fleet/fleet-file.ts';
import { sql } from '../support/backups.ts';
import { receiver, toldOf, toldRegistry, type ToldRegistry } from '../support/told-registry.ts';

afterEach(() => void vi.useRealTimers());

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** A registry that has a yank to tell. */
async function withYank(...options: Parameters<typeof toldRegistry>): Promise<ToldRegistry> {
  const told = toldRegistry(...options);
  await told.turn();
  told.yank('1.2.9', 'x');
  return told;
}

/** The events without the origin, and what they say of it as `ORIGIN`. */
function saidBy({ events }: ToldRegistry): unknown[] {
  return events.map((one) =>
    'because' in one
      ? [one.kind, one.because.replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, 'ORIGIN')]
      : [one.kind],
  );
}

function answering(status: number, headers: Readonly<Record<string, string>> = {}) {
  return (response: ServerResponse): void => void response.writeHead(status, headers).end('x');
}

async function noAnswer(): Promise<Response> {
  return await new Promise(() => undefined);
}

const MEGABYTE = Buffer.alloc(1024 * 1024, 'x');

function endless(response: ServerResponse): void {
  response.writeHead(200);
  for (let sent = 0; sent < 10; sent++) response.write(MEGABYTE);
}

describe('[T612] a receiver', () => {
  it.each<[string, (response: ServerResponse) => void, string]>([
    ['answers 500', answering(500), 'ORIGIN answered 500'],
    ['asks to wait', answering(429, { 'retry-after': '3' }), 'ORIGIN answered 429'],
    ['knows no such address', answering(404), 'ORIGIN answered 404'],
    ['does not accept the secret', answering(403), 'ORIGIN answered 403'],
    [
      'redirects',
      answering(302, { location: 'http://127.0.0.1:9/' }),
      'ORIGIN answered 302, a redirect, which is not followed',
    ],
    [
      'closes the connection',
      (response) => void response.socket?.destroy(),
      'ORIGIN cannot be reached (UND_ERR_SOCKET)',
    ],
  ])('that %s is asked again', async (_what, answer, because) => {
    const hook = await receiver();
    const told = await withYank([hook.address]);
    hook.answer = answer;
    await told.turn();
    expect([saidBy(told), told.notices().waiting()]).toEqual([[['notice-failed', because]], 1]);
    hook.answer = (response) => void response.end();
    told.pass(MINUTE);
    await told.turn();
    expect([saidBy(told).at(-1), told.notices().waiting()]).toEqual([['notice-sent'], 0]);
    const [first, second] = toldOf(hook);
    expect([hook.received.length, second]).toEqual([2, first]);
  });

  it('that answers with 10 MB has accepted the notice, and its answer is not read', async () => {
    const hook = await receiver();
    hook.answer = endless;
    const told = await withYank([hook.address]);
    await told.turn();
    expect([saidBy(told), hook.received.length]).toEqual([[['notice-sent']], 1]);
  });

  it('that does not answer is given up after 10 s, and asked again', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
    const told = await withYank([new URL('https://hooks.example/a')], { fetch: noAnswer });
    const turn = told.turn();
    await vi.advanceTimersByTimeAsync(10 * SECOND);
    await turn;
    const because = 'https://hooks.example did not begin its response within 10 s';
    expect([saidBy(told), told.notices().waiting()]).toEqual([[['notice-failed', because]], 1]);
  });

  it('that does not answer delays no other receiver, and no end of the registry', async () => {
    const [silent, hook] = [await receiver(), await receiver()];
    silent.answer = () => undefined;
    const told = await withYank([silent.address, hook.address]);
    await told.notices().look();
    const sending = told.notices().send();
    await expect.poll(() => toldOf(hook)).toHaveLength(1);
    await told.notices().run()();
    await sending;
    expect([saidBy(told), told.notices().waiting()]).toEqual([[['notice-sent']], 1]);
  });

  it('that cannot be reached is asked after 5 to 10 s, and then ever more rarely, up to 10 min', async () => {
    const hook = await receiver();
    hook.answer = answering(503);
    const told = await withYank([hook.address]);
    const asked: number[] = [];
    for (let second = 0; second < 3600; second++) {
      const before = hook.received.length;
      await told.notices().send();
      if (second === 0) await told.turn();
      if (hook.received.length > before) asked.push(second);
      told.pass(SECOND);
    }
    const pauses = asked.slice(1).map((at, place) => at - (asked[place] ?? 0));
    for (const [place, pause] of pauses.entries()) {
      const longest = Math.min(600, 10 * 2 ** place);
      expect([pause >= longest / 2, pause <= longest + 1]).toEqual([true, true]);
    }
    expect(pauses.length).toBeGreaterThan(8);
    expect(told.notices().waiting()).toBe(1);
  });

  it('that asks to wait for longer is not asked before, up to 10 min', async () => {
    const hook = await receiver();
    hook.answer = answering(503, { 'retry-after': '120' });
    const told = await withYank([hook.address]);
    await told.turn();
    told.pass(119 * SECOND);
    await told.turn();
    expect(hook.received.length).toBe(1);
    hook.answer = answering(503, { 'retry-after': '86400' });
    told.pass(SECOND);
    await told.turn();
    told.pass(10 * MINUTE);
    await told.turn();
    expect(hook.received.length).toBe(3);
  });

  it('that refuses a notice five times does not get it, but the next one', async () => {
    const hook = await receiver();
    const told = await withYank([hook.address]);
    await told.notices().look();
    told.publish('1.3.0');
    told.yank('1.3.0', 'next');
    hook.answer = (response, { body }) => {
      response.writeHead(body.includes('"1.2.9"') ? 400 : 200).end();
    };
    for (let turn = 0; turn < 6; turn++) {
      await told.turn();
      told.pass(10 * MINUTE);
    }
    const refused = 'ORIGIN answered 400';
    expect(saidBy(told)).toEqual([
      ...Array.from({ length: 4 }, () => ['notice-failed', refused]),
      ['notice-refused', refused],
      ['notice-sent'],
    ]);
    expect(told.notices().waiting()).toBe(0);
  });

  it('that asks to wait is not given up within a day', async () => {
    const hook = await receiver();
    hook.answer = answering(429);
    const told = await withYank([hook.address]);
    for (let turn = 0; turn < 7; turn++) {
      await told.turn();
      told.pass(10 * MINUTE);
    }
    expect([hook.received.length, told.notices().waiting()]).toEqual([7, 1]);
  });

  it.each(['500', 'closed'])(
    '[D217] [T622] that cannot take a notice for a day (%s) does not get it, but those that follow',
    async (how) => {
      const hook = await receiver();
      const told = await withYank([hook.address]);
      await told.notices().look();
      told.pass(23 * 60 * MINUTE);
      told.publish('1.3.0');
      told.yank('1.3.0', 'next');
      hook.answer = (response, { body }) => {
        if (!body.includes('"1.2.9"')) return void response.end();
        if (how === '500') return void response.writeHead(500).end();
        return void response.socket?.destroy();
      };
      const kinds: (string | undefined)[] = [];
      for (let turn = 0; turn < 8; turn++) {
        await told.turn();
        kinds.push(told.events.at(-1)?.kind);
        told.pass(10 * MINUTE);
      }
      // The first is a day old at the seventh turn; after the pause that follows, the second is sent.
      const failed = Array.from({ length: 6 }, () => 'notice-failed');
      expect(kinds).toEqual([...failed, 'notice-expired', 'notice-sent']);
      expect(told.notices().waiting()).toBe(0);
    },
  );

  it('[D217] that takes nothing is asked five times for each notice that is a day old when the registry starts', async () => {
    const hook = await receiver();
    const told = await withYank([hook.address]);
    told.publish('1.3.0');
    told.yank('1.3.0', 'next');
    await told.notices().look();
    hook.answer = answering(503);
    told.pass(48 * 60 * MINUTE);
    for (let turn = 0; turn < 11; turn++) {
      await told.turn();
      told.pass(10 * MINUTE);
    }
    const one = [...Array.from({ length: 4 }, () => 'notice-failed'), 'notice-expired'];
    expect(told.events.map(({ kind }) => kind)).toEqual([...one, ...one]);
    expect([hook.received.length, told.notices().waiting()]).toEqual([10, 0]);
  });

  it('that is no longer named gets nothing any more', async () => {
    const hook = await receiver();
    hook.answer = answering(503);
    const told = await withYank([hook.address]);
    await told.turn();
    const other = toldRegistry([new URL('http://127.0.0.1:9/')], { path: told.catalogue.path });
    await other.notices().look();
    expect(told.notices().waiting()).toBe(0);
  });
});

it('[T613] the oldest of more than 1,000 notices for a receiver are dropped, and counted', async () => {
  const hook = await receiver();
  const told = toldRegistry([hook.address], { path: ':memory:' });
  await told.turn();
  for (let place = 0; place < 1002; place++) {
    told.publish(`2.0.${place}`);
    told.yank(`2.0.${place}`, `${place}`);
  }
  await told.notices().look();
  expect(told.notices().waiting()).toBe(1000);
  const to = hook.address.origin;
  expect(told.events).toEqual([
    { kind: 'notice-dropped', count: 1, to },
    { kind: 'notice-dropped', count: 1, to },
  ]);
  await told.notices().send();
  const [first] = hook.received;
  expect(Object(JSON.parse(first?.body ?? '')).facts.version).toBe('2.0.2');
});

it('[T614] a file that cannot be read keeps the registry from telling, and from nothing else; it is said once', async () => {
  const hook = await receiver();
  const told = await withYank([hook.address]);
  sql(fleetPath(told.catalogue.path), 'ALTER TABLE noticed RENAME TO moved');
  for (let turn = 0; turn < 3; turn++) await told.turn();
  const because = `DatabaseError: "${fleetPath(told.catalogue.path)}": no such table: noticed`;
  expect(told.events).toEqual([{ kind: 'notices-failed', because }]);
  sql(fleetPath(told.catalogue.path), 'ALTER TABLE moved RENAME TO noticed');
  await told.turn();
  expect(toldOf(hook)).toHaveLength(1);
});

it('[T614] a notice that was accepted, and cannot be removed, is not sent again at once', async () => {
  const hook = await receiver();
  const told = await withYank([hook.address]);
  await told.notices().look();
  const full =
    "CREATE TRIGGER full BEFORE DELETE ON notices BEGIN SELECT RAISE(ABORT, 'full'); END";
  sql(fleetPath(told.catalogue.path), full);
  for (let turn = 0; turn < 3; turn++) await told.notices().send();
  expect([hook.received.length, told.events.map(({ kind }) => kind)]).toEqual([
    1,
    ['notices-failed'],
  ]);
  sql(fleetPath(told.catalogue.path), 'DROP TRIGGER full');
  told.pass(MINUTE);
  await told.notices().send();
  expect([hook.received.length, told.notices().waiting()]).toEqual([2, 0]);
});

it('[T615] neither the path of an address nor the secret is in an event', async () => {
  const hook = await receiver();
  const told = await withYank([hook.address]);
  for (const status of [500, 404, 200]) {
    hook.answer = answering(status);
    await told.turn();
    told.pass(10 * MINUTE);
  }
  hook.answer = (response) => void response.socket?.destroy();
  told.yank('1.2.9', null);
  await told.turn();
  told.yank('1.2.9', 'again');
  await told.turn();
  expect(told.events).toHaveLength(4);
  expect(JSON.stringify(told.events)).not.toMatch(/secret-path|0123456789abcdef/);
});
