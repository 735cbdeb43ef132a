import { createHmac } from 'node:crypto';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { secret } from '../../src/core/index.ts';
import { serveRegistry } from '../../src/server/index.ts';
import type { NoticeEvent } from '../../src/server/notice.ts';
import { moduleId } from '../support/ask.ts';
import { trustOf } from '../support/signed.ts';
import {
  receiver,
  SECRET,
  toldOf,
  toldRegistry,
  type Receiver,
  type ToldRegistry,
} from '../support/told-registry.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const LIDAR = moduleId('acme:lidar');

const FAILURES = { failed: 1, silent: 0 };

/** What follows in the rollout of 1.3.0. */
function follows(
  { catalogue, time }: ToldRegistry,
  next:
    | { readonly kind: 'halted'; readonly because: string; readonly failures: typeof FAILURES }
    | { readonly kind: 'resumed'; readonly acknowledged: typeof FAILURES },
): void {
  const found = catalogue.rollouts.of(LIDAR, '1.3.0');
  const after = found.ok ? (found.value?.rollout.sequence ?? 0) : 0;
  const event = { ...next, after, at: time.now };
  const change = { kind: 'rollout', moduleId: LIDAR, version: '1.3.0', event } as const;
  expect(catalogue.apply({ ...change, soakMs: undefined }).ok).toBe(true);
}

/** Halts the rollout of 1.3.0. */
function halt(told: ToldRegistry, because = 'it stops'): void {
  follows(told, { kind: 'halted', because, failures: FAILURES });
}

/** Three machines, the first of which is not heard for a day. */
async function oneSilent(told: ToldRegistry): Promise<void> {
  for (const machine of ['r1', 'r2', 'r3']) await told.report(machine);
  told.pass(25 * HOUR);
  for (const machine of ['r2', 'r3']) await told.report(machine);
}

const LIDAR_1_2_9 = { module_id: 'acme:lidar', version: '1.2.9' };

it.each<[string, (told: ToldRegistry) => unknown, readonly unknown[]]>([
  [
    'a yank',
    (told) => told.yank('1.2.9', 'stops the motor'),
    [
      'release-yanked',
      { ...LIDAR_1_2_9, reason: 'stops the motor' },
      'acme:lidar 1.2.9 is yanked: stops the motor',
    ],
  ],
  [
    'a yank without a reason',
    (told) => told.yank('1.2.9', ''),
    ['release-yanked', { ...LIDAR_1_2_9, reason: '' }, 'acme:lidar 1.2.9 is yanked'],
  ],
  [
    'a rollout that is halted',
    (told) => {
      told.publish('1.3.0', { rollout: {} });
      halt(told);
    },
    [
      'rollout-halted',
      { module_id: 'acme:lidar', version: '1.3.0', because: 'it stops' },
      'the rollout of acme:lidar 1.3.0 is halted: it stops',
    ],
  ],
  [
    'a machine that is silent',
    oneSilent,
    ['machine-silent', { machines: ['r1'], count: 1 }, 'r1: not heard for 1 d'],
  ],
  [
    'machines that are silent at once, in one notice',
    async (told) => {
      for (let place = 100; place < 130; place++) await told.report(`r${place}`);
      told.pass(25 * HOUR);
    },
    [
      'machine-silent',
      { machines: Array.from({ length: 20 }, (_, place) => `r${100 + place}`), count: 30 },
      'r100, r101, r102, 27 more: not heard for 1 d',
    ],
  ],
  [
    'a certificate near its end',
    (told) => (told.certificateExpiry = (told.time.now + 14 * DAY) / 1000),
    [
      'certificate-expires',
      { expires_at: '2026-12-06T12:00:00Z' },
      'the TLS certificate of the registry expires at 2026-12-06T12:00:00Z, in 14 d: renew the file of --tls-cert',
    ],
  ],
  [
    'a certificate that has expired',
    (told) => (told.certificateExpiry = told.time.now / 1000),
    [
      'certificate-expires',
      { expires_at: '2026-11-22T12:00:00Z' },
      'the TLS certificate of the registry expired at 2026-11-22T12:00:00Z: renew the file of --tls-cert',
    ],
  ],
  [
    'a trust document near its end',
    (told) =>
      told.catalogue.trust.store(trustOf([], undefined, { expires: '2027-01-21T00:00:00Z' }).text),
    [
      'trust-expires',
      { version: 1, expires_at: '2027-01-21T00:00:00Z' },
      'version 1 of the trust document expires at 2027-01-21T00:00:00Z, in 59 d 12 h: store a later one with modreg keys update',
    ],
  ],
])('[D211] receivers are told of %s, once', async (_what, happens, expected) => {
  const hook = await receiver();
  const told = toldRegistry([hook.address]);
  await told.turn();
  expect(toldOf(hook)).toEqual([]);
  await happens(told);
  for (let turn = 0; turn < 3; turn++) await told.turn();
  expect(toldOf(hook)).toEqual([expected]);
});

it.each<[string, (told: ToldRegistry) => unknown]>([
  [
    'a certificate that is valid for longer',
    (told) => (told.certificateExpiry = (told.time.now + 14 * DAY + 1000) / 1000),
  ],
  [
    'a trust document that is valid for longer',
    (told) =>
      told.catalogue.trust.store(trustOf([], undefined, { expires: '2027-01-22T00:00:00Z' }).text),
  ],
  ['a publication', (told) => told.publish('1.3.0')],
  ['a rollout that begins', (told) => told.publish('1.3.0', { rollout: {} })],
  [
    'a machine that is retired',
    async (told) => {
      await told.report('r1');
      await told.retire('r1');
      told.pass(25 * HOUR);
    },
  ],
  [
    'machines that are quiet because the registry was off',
    async (told) => {
      await told.report('r1');
      told.time.now += 25 * HOUR;
      told.restart();
      told.pass(14 * MINUTE);
    },
  ],
])('[D211] receivers are told nothing of %s', async (_what, happens) => {
  const hook = await receiver();
  const told = toldRegistry([hook.address]);
  await told.turn();
  await happens(told);
  await told.turn();
  expect(toldOf(hook)).toEqual([]);
});

it('[D211] receivers are told that a machine is heard again, and not that one was retired', async () => {
  const hook = await receiver();
  const told = toldRegistry([hook.address]);
  await told.turn();
  for (const machine of ['r1', 'r2']) await told.report(machine);
  told.pass(25 * HOUR);
  await told.turn();
  await told.report('r1');
  await told.retire('r2');
  await told.turn();
  expect(toldOf(hook).slice(1)).toEqual([
    ['machine-back', { machines: ['r1'], count: 1 }, 'r1: heard again'],
  ]);
  told.pass(25 * HOUR);
  await told.turn();
  expect(toldOf(hook).slice(2)).toEqual([
    ['machine-silent', { machines: ['r1'], count: 1 }, 'r1: not heard for 1 d'],
  ]);
});

/** The reasons of yanks, and the events of other notices. */
function reasonsOf(hook: Receiver): unknown[] {
  return hook.received.map(({ body }) => {
    const { event, facts } = Object(JSON.parse(body));
    return facts.reason ?? event;
  });
}

describe('[D212] what was told', () => {
  it('is nothing at the first look, except for what ends soon', async () => {
    const hook = await receiver();
    const told = toldRegistry([hook.address]);
    told.yank('1.2.9', 'old');
    told.publish('1.3.0', { rollout: {} });
    halt(told);
    told.certificateExpiry = (told.time.now + DAY) / 1000;
    await told.turn();
    expect(reasonsOf(hook)).toEqual(['certificate-expires']);
  });

  it('is neither lost nor told again after a restart', async () => {
    const hook = await receiver();
    const told = toldRegistry([hook.address]);
    await told.turn();
    told.yank('1.2.9', 'first');
    await told.turn();
    told.publish('1.3.0');
    told.yank('1.3.0', 'second');
    await told.notices().look();
    told.restart();
    told.publish('1.4.0');
    told.yank('1.4.0', 'third');
    told.restart();
    await told.turn();
    await told.turn();
    expect(reasonsOf(hook)).toEqual(['first', 'second', 'third']);
  });

  it('is told again when it begins again', async () => {
    const hook = await receiver();
    const told = toldRegistry([hook.address]);
    await told.turn();
    for (const reason of ['first', null, 'second']) {
      told.yank('1.2.9', reason);
      await told.turn();
    }
    expect(reasonsOf(hook)).toEqual(['first', 'second']);
  });

  it('is told again when it ended and began again between two looks', async () => {
    const hook = await receiver();
    const told = toldRegistry([hook.address]);
    told.publish('1.3.0', { rollout: {} });
    await told.turn();
    halt(told, 'the first');
    await told.turn();
    follows(told, { kind: 'resumed', acknowledged: FAILURES });
    halt(told, 'the second');
    await told.turn();
    expect(toldOf(hook).map((one) => Object(one)[1].because)).toEqual(['the first', 'the second']);
  });
});

it('[D211] the signature is over the time and the body, and each notice has an id of its own', async () => {
  const hook = await receiver();
  const told = toldRegistry([hook.address]);
  await told.turn();
  told.publish('1.3.0');
  for (const version of ['1.2.9', '1.3.0']) told.yank(version, 'x');
  await told.turn();
  const ids = new Set<string>();
  for (const { headers, body } of hook.received) {
    const timestamp = `${told.time.now / 1000}`;
    const digest = createHmac('sha256', SECRET).update(`${timestamp}.${body}`).digest('hex');
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'modreg-notice-timestamp': timestamp,
      'modreg-notice-signature': `sha256=${digest}`,
    });
    const { schema, id, at } = Object(JSON.parse(body));
    expect([schema, at]).toEqual(['modreg/notice@1', '2026-11-22T12:00:00Z']);
    ids.add(id);
  }
  expect([hook.received.length, ids.size]).toEqual([2, 2]);
});

it('[D211] a served registry tells by itself, and is closed', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const hook = await receiver();
  const { catalogue } = toldRegistry([]);
  const events: NoticeEvent[] = [];
  const notify = {
    addresses: [hook.address],
    secret: secret(SECRET),
    onEvent: (event: NoticeEvent) => void events.push(event),
  };
  const running = await serveRegistry(catalogue, { host: '127.0.0.1', port: 0 }, { notify });
  await vi.advanceTimersByTimeAsync(30_000);
  expect(catalogue.yank(LIDAR, '1.2.9', 'x', 0)).toBe('done');
  while (hook.received.length === 0) await vi.advanceTimersByTimeAsync(2000);
  expect(reasonsOf(hook)).toEqual(['x']);
  await expect.poll(() => events.map(({ kind }) => kind)).toEqual(['notice-sent']);
  expect(running.load().waitingNotices).toBe(0);
  await running.close();
});
