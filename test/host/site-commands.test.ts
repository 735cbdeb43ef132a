import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { expect, it } from 'vitest';
import { answerText } from '../../src/core/trust/answer-text.ts';
import { readTrustDocument } from '../../src/core/trust/trust-document.ts';
import { keepState, keptState, noneServed } from '../../src/host/served/served-state.ts';
import { proofBy } from '../../src/registries/proving-remote.ts';
import { AUTHOR, role, STRANGER, trustOf, type TestKey } from '../support/signed.ts';
import { commanded, type Circumstances } from './support/commanded.ts';

const DONE = 'done: acme:lidar is held';
const INTERRUPTED =
  'lost: the agent ended while it carried this out: modreg status on the machine says whether it did';
const HOUR = 3_600_000;

it('[D297] a command is carried out once, and its outcome is told once', async () => {
  const machine = await commanded();
  machine.give();
  expect(await machine.round()).toEqual([
    'info command 1 of the site is carried out: hold acme:lidar',
    'info command 1 of the site (hold acme:lidar) is done: acme:lidar is held',
  ]);
  expect(machine.outcomes()).toEqual([DONE]);
  expect(keptState(machine.home)?.commands).toEqual({ taken: 1, outcomes: [] });
  expect(await machine.round()).toEqual([]);
  expect(machine.carried).toEqual([1]);
});

it.each([
  ['a machine that has carried out commands', undefined],
  ['a machine that has lost those that waited', 'without state'],
])('[D296] %s waits for later ones than these', async (_, kind) => {
  const machine = await commanded();
  if (kind !== undefined) rmSync(`${machine.home}/machine.db.served`);
  machine.give();
  machine.give();
  const taken: unknown[] = [];
  await machine.round({ onNews: () => taken.push(keptState(machine.home)?.commands?.taken) });
  expect(taken).toEqual([2]);
});

/** The requests of a test reach the registry, except for those to addresses that contain `path`. */
function cutOff(path: string): Circumstances {
  return {
    fetch: async (...request) => {
      const [to] = request;
      if ((to instanceof Request ? to.url : String(to)).includes(path)) throw new TypeError('cut');
      return await fetch(...request);
    },
  };
}

it('[D297] an outcome that the site does not have is told again, also after a restart, and is not made again', async () => {
  const machine = await commanded();
  machine.give();
  await expect(machine.round(cutOff('/outcomes'))).rejects.toThrow('cannot be reached');
  expect([machine.outcomes(), machine.carried]).toEqual([['waiting'], [1]]);
  expect(await machine.round()).toEqual([]);
  expect([machine.outcomes(), machine.carried]).toEqual([[DONE], [1]]);
});

it('[T704] a process that ends while it carries out a command does not do so again, and says that it does not know', async () => {
  const machine = await commanded();
  machine.give();
  const killed = machine.round({ carryOut: async () => await Promise.reject(new Error('killed')) });
  await expect(killed).rejects.toThrow('killed');
  expect(machine.outcomes()).toEqual(['waiting']);
  expect(await machine.round()).toEqual([]);
  expect([machine.outcomes(), machine.carried]).toEqual([[INTERRUPTED], []]);
});

it('[T705] a machine without state has lost the commands that wait, and carries out later ones', async () => {
  const machine = await commanded();
  machine.give();
  machine.give();
  rmSync(`${machine.home}/machine.db.served`);
  const detail =
    'the machine has no record of earlier commands, and may have carried this out: give it again';
  const lost = `lost: ${detail}`;
  await expect(machine.round(cutOff('/outcomes'))).rejects.toThrow('cannot be reached');
  expect(await machine.round()).toEqual([]);
  machine.give();
  await machine.round();
  expect([machine.outcomes(), machine.carried]).toEqual([[lost, lost, DONE], [3]]);
});

it('[T705] a number that the machine has taken before is not carried out, whatever the registry has become', async () => {
  const machine = await commanded();
  const state = noneServed('https://site.example', 'rover-7');
  keepState(machine.home, { ...state, commands: { taken: 1, outcomes: [] } });
  machine.give();
  machine.give();
  await machine.round();
  const lost =
    'lost: the machine has taken this number before, and no longer knows what became of it: give it again';
  expect([machine.outcomes(), machine.carried]).toEqual([[lost, DONE], [2]]);
});

it.each<[string, Circumstances, string]>([
  ['waits', {}, DONE],
  [
    'expires while the answer is under way',
    { slowMs: HOUR },
    'expired: it expired at 2026-11-29T13:00:00Z',
  ],
  ['is carried out just before it expires', { slowMs: HOUR - 1 }, DONE],
  [
    'has expired by the certain clock of the machine',
    { reading: () => ({ now: Date.parse('2026-11-29T13:00:00Z'), clock: undefined }) },
    'expired: it expired at 2026-11-29T13:00:00Z, and the clock of the machine says 2026-11-29T13:00:00Z',
  ],
  [
    'has expired by a clock that is not certain',
    {
      reading: () => ({
        now: Date.parse('2030-01-01T00:00:00Z'),
        clock: { kind: 'unsynchronized', certainAt: undefined },
      }),
    },
    DONE,
  ],
  [
    'comes while the clock of the machine says 1970',
    { reading: () => ({ now: 0, clock: undefined }) },
    DONE,
  ],
])('[D301] a command that %s ends as it should', async (_what, parts, outcome) => {
  const machine = await commanded();
  machine.give();
  await machine.round(parts);
  expect([machine.outcomes(), machine.carried]).toEqual([[outcome], outcome === DONE ? [1] : []]);
});

it.each<['hold' | 'restart', boolean, string]>([
  ['hold', false, DONE],
  ['restart', false, DONE],
  ['hold', true, DONE],
  [
    'restart',
    true,
    'refused: the policy of the machine names a trust document, so that operators sign this: none did; give it again with --key, or run modreg restart acme:lidar on the machine',
  ],
])(
  '[D300] %s on a machine whose policy names a trust document: %j',
  async (kind, isPinned, outcome) => {
    const machine = await commanded();
    machine.give(kind);
    await machine.round({ isPinned: () => isPinned });
    expect(machine.outcomes()).toEqual([outcome]);
  },
);

it('[T706] what cannot be kept on the disk is not carried out, and waits', async () => {
  const machine = await commanded();
  machine.give();
  expect(await machine.round({ isFull: true })).toEqual([]);
  expect([machine.outcomes(), machine.carried]).toEqual([['waiting'], []]);
  await machine.round();
  expect(machine.outcomes()).toEqual([DONE]);
});

const TRUST = trustOf([role('namespace *', 1, AUTHOR), role('registry', 1, AUTHOR)]);

function noon(): number {
  return Date.parse('2026-11-29T12:00:00Z');
}

/** What the registry has to sign, by the trust document of these tests. */
async function proof(): ReturnType<NonNullable<Circumstances['proof']>> {
  const read = readTrustDocument(TRUST.text);
  if (!read.ok) throw new Error(read.error);
  const document = async () => read.value;
  return await proofBy({ document, atLeast: document, now: noon }, 'SITE');
}

/** Answers of the registry, with signatures by `key` over the answer for `machine`. */
function signing(key: TestKey, machine = 'rover-7'): Circumstances {
  return {
    proof,
    fetch: async (...request) => {
      const answer = await fetch(...request);
      const nonce = /nonce=([\w-]+)/.exec(answer.url)?.[1] ?? '';
      const body = await answer.text();
      const sha256 = createHash('sha256').update(body).digest('hex');
      const question = `commands ${machine}`;
      const text = answerText({ name: 'acme-plant', version: 1 }, { nonce, question, sha256 });
      const signature = `1 ${key.id} ${key.sign(text)}`;
      const headers = { ...Object.fromEntries(answer.headers), 'modreg-signature': signature };
      return new Response(body, { status: answer.status, headers });
    },
  };
}

it.each<[string, Circumstances, string | undefined]>([
  ['signed by the registry', signing(AUTHOR), undefined],
  ['not signed', { proof }, 'the registry SITE did not sign its answer'],
  [
    'signed by a stranger',
    signing(STRANGER),
    `the registry SITE signed its answer with key ${STRANGER.id}, which its trust document does not name`,
  ],
  [
    'signed for another machine',
    signing(AUTHOR, 'rover-8'),
    'the registry SITE signed another answer, or the answer to another question',
  ],
])('[D295] of an answer that is %s, commands are taken or not', async (_what, parts, error) => {
  const machine = await commanded();
  machine.give();
  const said = await machine.round(parts).then(
    () => undefined,
    (thrown: Error) => thrown.message,
  );
  expect(said).toBe(error);
  expect(machine.carried).toEqual(error === undefined ? [1] : []);
});

it('[D295] an answer that a proxy kept gives no commands', async () => {
  const machine = await commanded();
  machine.give();
  let kept: string | undefined;
  const keeping: Circumstances = {
    fetch: async (...request) => {
      const answer = await fetch(...request);
      if (!answer.url.includes('nonce')) return answer;
      kept ??= await answer.text();
      return new Response(kept, { headers: { 'content-type': 'application/json' } });
    },
  };
  await machine.round(keeping);
  machine.give();
  const message = /its answer about commands is one to another question$/;
  await expect(machine.round(keeping)).rejects.toThrow(message);
  expect(machine.carried).toEqual([1]);
});

it('[D298] a command of a later modreg is refused', async () => {
  const machine = await commanded();
  machine.give();
  const later: Circumstances = {
    fetch: async (...request) => {
      const answer = await fetch(...request);
      const { status, headers, url } = answer;
      const body = (await answer.text()).replace('"kind":"hold"', '"kind":"dance"');
      return new Response(url.includes('nonce') ? body : '{}', { status, headers });
    },
  };
  await machine.round(later);
  expect([machine.outcomes(), machine.carried]).toEqual([
    ['refused: the modreg of the machine does not know this command: upgrade its agent first'],
    [],
  ]);
});

async function earlier(): Promise<Response> {
  const headers = { 'content-type': 'application/problem+json' };
  return new Response('{"type":"urn:modreg:unknown-address"}', { status: 404, headers });
}

it('[T707] a registry of an earlier modreg gives no commands, which is no fault', async () => {
  const machine = await commanded();
  machine.give();
  expect(await machine.round({ fetch: earlier })).toEqual([]);
  expect(machine.outcomes()).toEqual(['waiting']);
});
