import { expect, it } from 'vitest';
import { receiver, toldOf, toldRegistry, type ToldRegistry } from '../support/told-registry.ts';
import { tokenFor } from '../support/token.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A machine says that it refuses documents of the registry, or takes them if there is no code. */
function refuse({ catalogue, time }: ToldRegistry, machine: string, code?: string): void {
  const refused = code === undefined ? undefined : { revision: 3, code, detail: 'because' };
  const words = [{ about: 'documents', machine, applied: 1, refused, at: time.now }] as const;
  catalogue.apply({ kind: 'heard', words: [...words] });
}

it.each<[string, (told: ToldRegistry) => unknown, readonly unknown[]]>([
  [
    'machines that refuse their documents, also if they have never reported',
    async (told) => {
      await told.report('r1');
      refuse(told, 'r1', 'unreachable');
      refuse(told, 'r2', 'needs-signature');
      await told.report('r3');
      await told.report('r4');
      refuse(told, 'r4', 'unreachable');
      await told.retire('r4');
      const token = tokenFor(told.catalogue, ['machine:r5'], 'r5');
      told.catalogue.revokeToken(token, told.time.now);
      refuse(told, 'r5', 'unreachable');
    },
    [
      'machine-refusing',
      { machines: ['r1', 'r2'], count: 2 },
      'r1, r2: documents are refused: needs-signature, unreachable',
    ],
  ],
  [
    'machines with a wrong clock',
    async (told) => {
      for (const [id, ahead] of [
        ['r1', -5 * MINUTE - 1000],
        ['r2', 5 * MINUTE],
        ['r3', DAY],
        ['r4', DAY],
      ] as const) {
        told.ahead.set(id, ahead);
        await told.report(id);
      }
      await told.retire('r4');
    },
    [
      'machine-wrong-clock',
      { machines: ['r1', 'r3'], count: 2 },
      'r1, r3: the clock is more than 5 min off',
    ],
  ],
])('[D481] receivers are told of %s, once', async (_what, happens, expected) => {
  const hook = await receiver();
  const told = toldRegistry([hook.address]);
  await told.turn();
  await happens(told);
  for (let turn = 0; turn < 3; turn++) await told.turn();
  expect(toldOf(hook)).toEqual([expected]);
});

it('[D481] what is so of machines at the first look is not told', async () => {
  const hook = await receiver();
  const told = toldRegistry([hook.address]);
  told.ahead.set('r1', HOUR);
  await told.report('r1');
  refuse(told, 'r2', 'unreachable');
  for (let turn = 0; turn < 2; turn++) await told.turn();
  expect(toldOf(hook)).toEqual([]);
});

it('[D481] what is so of machines that refuse documents or have a wrong clock is told again when it begins again', async () => {
  const hook = await receiver();
  const told = toldRegistry([hook.address]);
  await told.turn();
  for (const [code, ahead] of [
    ['unreachable', HOUR],
    [undefined, 0],
    ['needs-signature', -HOUR],
  ] as const) {
    told.ahead.set('r1', ahead);
    await told.report('r1');
    refuse(told, 'r1', code);
    await told.turn();
  }
  expect(toldOf(hook).map((one) => Object(one)[2])).toEqual([
    'r1: documents are refused: unreachable',
    'r1: the clock is more than 5 min off',
    'r1: documents are refused: needs-signature',
    'r1: the clock is more than 5 min off',
  ]);
});
