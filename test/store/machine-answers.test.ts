import { expect, it } from 'vitest';
import { decide, indexReleases } from '../../src/core/index.ts';
import { decodeFacts, encodeFacts, haveSameFacts } from '../../src/store/facts.ts';
import { records } from '../support/ask.ts';
import { moduleQuestion } from '../support/decided.ts';
import { having, requiring } from '../support/required.ts';

const LIST = ['1.2.0', requiring('1.3.0', { 'acme:base': '2.*', tags: 'rack:b4' })];

/** The input of a decision on a machine with this version of acme:base, and of acme:other. */
function decided(
  base: string | null,
  other = '1.0.0',
  list = LIST,
): ReturnType<typeof moduleQuestion> {
  const machine = having({ 'acme:base': [base], 'acme:other': [other] });
  const input = moduleQuestion({
    wanted: '1.*',
    deployed: '1.2.0',
    list,
    eligibility: { machine },
  });
  decide(input);
  return input;
}

function windowOf(): never {
  throw new Error('it has no window');
}

function recorded(input: ReturnType<typeof decided>): ReturnType<typeof decodeFacts> {
  return decodeFacts(JSON.parse(encodeFacts(input)), {
    index: indexReleases(records(LIST)),
    windowOf,
  });
}

it('[T387] what was asked of the machine is recorded, and nothing else', () => {
  const { eligibility } = JSON.parse(encodeFacts(decided('1.0.0')));
  expect(eligibility.machine).toEqual({
    asked: {
      deployed: { $map: [['acme:base', [{ kind: 'version', text: '1.0.0' }]]] },
      tags: { $map: [] },
    },
  });
  expect(
    JSON.parse(encodeFacts(decided('1.0.0', '1.0.0', ['1.2.0']))).eligibility,
  ).not.toHaveProperty('machine');
});

it('[T387] a recorded decision is decided as then, and what was not asked is not known', () => {
  const read = recorded(decided('1.0.0'));
  if ('damaged' in read) throw new Error(read.damaged);
  expect(decide(read.input)).toMatchObject({ kind: 'keep', because: 'up-to-date' });
  const { deployed, hasTag } = read.input.eligibility.machine ?? having({});
  expect([deployed('acme:base'), deployed('acme:arm'), hasTag('rack:b4')]).toEqual([
    [{ kind: 'version', text: '1.0.0' }],
    [{ kind: 'unknown' }],
    false,
  ]);
});

it.each<[string, object, boolean]>([
  ['the same', decided('1.0.0'), true],
  ['another version of what is required', decided('1.1.0'), false],
  ['nothing of what is required', decided(null), false],
  ['another version of what nothing requires', decided('1.0.0', '9.0.0'), true],
])('[T387] a decision with %s', (_title, input, isSame) => {
  const read = recorded(decided('1.0.0'));
  if ('damaged' in read) throw new Error(read.damaged);
  expect(haveSameFacts(read.input.eligibility, Object(input).eligibility)).toBe(isSame);
});

it('[T387] damaged answers are found', () => {
  const facts = JSON.parse(encodeFacts(decided('1.0.0')));
  facts.eligibility.machine.asked.deployed = { $map: [['acme:base', [{ kind: 'version' }]]] };
  expect(
    decodeFacts(facts, {
      index: indexReleases([]),
      windowOf: () => {
        throw new Error('none');
      },
    }),
  ).toEqual({ damaged: 'eligibility' });
});
