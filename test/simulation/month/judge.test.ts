import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../../support/modreg.ts';
import { meaningOf, needsSignature, textsOf, type Wanted } from './documents.ts';
import {
  judge,
  type Given,
  type Judge,
  type Kept,
  type KeptRevision,
  type Scene,
} from './judge.ts';

const ORACLE = ['judge', 'revisions-judge', 'commands-judge', 'moments-judge', 'documents'];

it.each(ORACLE)('%s of the oracle imports nothing from src', (file) => {
  const text = readFileSync(join(ROOT, `test/simulation/month/${file}.ts`), 'utf8');
  const imported = [...text.matchAll(/from '([^']+)'/g)].map(([, name = '']) => name);
  expect(imported.filter((name) => !ORACLE.some((one) => name === `./${one}.ts`))).toEqual([]);
});

const MINUTE = 60_000;
/** A Monday at noon. */
const NOON = Date.parse('2026-03-02T12:00:00Z');
const NIGHT = Date.parse('2026-03-02T03:00:00Z');
const PLAIN: Wanted = {
  modules: { acme_lidar: '1.2.*' },
  rate: undefined,
  cuts: false,
  blackouts: [],
  fault: undefined,
};

describe('what needs the signature of an operator', () => {
  it.each<[Partial<Wanted>, string | undefined]>([
    [{ modules: { acme_lidar: '1.3.*' } }, undefined],
    [{ modules: { acme_lidar: '1.*' } }, undefined],
    [{ modules: { acme_lidar: '1.1.*' } }, 'a lower acme_lidar'],
    [{ modules: { acme_lidar: '1.2.*', acme_arm: '1.*' } }, undefined],
    [{ modules: {} }, undefined],
    [{ rate: '10' }, 'fields of acme_lidar'],
    [{ cuts: true }, 'fields of the config'],
    [{ blackouts: ['2026-03-03', '2026-03-04'] }, undefined],
    [{ blackouts: [] }, 'fewer blackouts'],
  ])('%j: %s', (change, expected) => {
    const before = { ...PLAIN, blackouts: ['2026-03-03'] };
    const [was, is] = [before, { ...before, ...change }].map((one) => meaningOf(textsOf(one)));
    if (!was || !is) throw new Error('documents without a meaning');
    expect(needsSignature(was, is, new Map([['acme_lidar', '1.2.5']]))).toBe(expected);
  });
});

interface Book {
  readonly judge: Judge;
  readonly scene: { at: number; elapsed: number };
}

function begun(more: Partial<Scene> = {}): Book {
  const scene = { at: NOON, elapsed: 0 };
  return {
    scene,
    judge: judge({
      now: () => scene.at,
      monotonic: () => scene.elapsed,
      isPinned: false,
      own: { config: { modules: [] }, policy: {} },
      running: () => new Map([['acme_lidar', '1.2.5']]),
      isClockRight: () => true,
      ...more,
    }),
  };
}

function save({ judge: referee }: Book, number: number, change: Partial<Wanted> = {}): void {
  referee.saved({ revision: number, ...textsOf({ ...PLAIN, ...change }), isSigned: false });
}

function revision(number: number, change: Partial<Wanted> = {}): KeptRevision {
  return { machine: 'rover-7', revision: number, ...textsOf({ ...PLAIN, ...change }) };
}

function kept(number: number, more: Partial<Kept> = {}, change: Partial<Wanted> = {}): Kept {
  return { machine: 'rover-7', highest: number, current: revision(number, change), ...more };
}

/** The second revision is provisional, and the first returns after some minutes without the site. */
function returned(book: Book, minutes: number): void {
  for (const one of [1, 2]) save(book, one, { rate: `${one}` });
  const earlier = kept(1, {}, { rate: '1' });
  book.judge.kept(earlier);
  const provisional = { earlier: revision(1, { rate: '1' }) };
  book.judge.kept(kept(2, { provisional }, { rate: '2' }));
  book.scene.elapsed += minutes * MINUTE;
  book.judge.kept({ ...earlier, highest: 2, refused: { revision: 2, code: 'unreachable' } });
}

const RESTART: Given = {
  number: 1,
  kind: 'restart',
  name: 'acme_lidar',
  at: NOON,
  expiresAt: NOON + 5 * MINUTE,
  isSigned: false,
};
const CARRIED_OUT = 'command 1 of the site is carried out: restart acme:lidar';

/** What breaks each invariant, or breaks none. */
const CASES: readonly (readonly [string, string | undefined, (book: Book) => void])[] = [
  [
    'a lower revision',
    'D268',
    (book) => {
      for (const one of [1, 2]) save(book, one, { rate: `${one}` });
      book.judge.kept(kept(2, {}, { rate: '2' }));
      book.judge.kept(kept(1, { highest: 2 }, { rate: '1' }));
    },
  ],
  [
    'a highest revision that falls',
    'T670',
    (book) => {
      save(book, 2);
      book.judge.kept(kept(2));
      book.judge.kept(kept(2, { highest: 1 }));
    },
  ],
  ['what ran before, after ten minutes without the site', undefined, (book) => returned(book, 10)],
  ['the same after nine minutes', 'D268', (book) => returned(book, 9)],
  [
    'documents of another machine',
    'T670',
    (book) => {
      save(book, 1);
      book.judge.kept(kept(1, { current: { ...revision(1), machine: 'rover-8' } }));
    },
  ],
  [
    'a term of the machine alone',
    'D262',
    (book) => {
      save(book, 1, { fault: 'local-term' });
      book.judge.kept(kept(1, {}, { fault: 'local-term' }));
    },
  ],
  ['a number that was given before', 'T672', (book) => [2, 2].forEach((one) => save(book, one))],
  [
    'a command that is carried out twice',
    'D297',
    ({ judge: referee }) => {
      referee.given(RESTART);
      referee.said(CARRIED_OUT);
      referee.said(CARRIED_OUT);
    },
  ],
  [
    'a command after its end',
    'D301',
    ({ judge: referee, scene }) => {
      referee.given(RESTART);
      scene.at += 5 * MINUTE;
      referee.said(CARRIED_OUT);
    },
  ],
  [
    'a command from before the machine lost its state',
    'T705',
    ({ judge: referee, scene }) => {
      referee.given(RESTART);
      scene.at += MINUTE;
      referee.lost();
      referee.said(CARRIED_OUT);
    },
  ],
  [
    'a command from before the registry was restored',
    'T703',
    ({ judge: referee, scene }) => {
      referee.given(RESTART);
      scene.at += MINUTE;
      referee.restored();
      scene.at += 2 * MINUTE;
      referee.said(CARRIED_OUT);
    },
  ],
  [
    'an outcome of what never began',
    'T704',
    ({ judge: referee }) => {
      referee.given(RESTART);
      referee.told([{ number: 1, outcome: { result: 'done', detail: '' } }]);
    },
  ],
  [
    'a restart outside of the window',
    'D25',
    ({ judge: referee }) =>
      referee.delivered({ name: 'acme_lidar', direction: 'restart', to: '1.2.5' }),
  ],
  [
    'a restart in the window',
    undefined,
    ({ judge: referee, scene }) => {
      scene.at = NIGHT;
      referee.delivered({ name: 'acme_lidar', direction: 'restart', to: '1.2.5' });
    },
  ],
  [
    'a restart of what is held',
    'D75',
    ({ judge: referee, scene }) => {
      scene.at = NIGHT;
      referee.heldHere('acme_lidar', NOON);
      referee.delivered({ name: 'acme_lidar', direction: 'restart', to: '1.2.5' });
    },
  ],
  [
    'a hold of the machine that is gone',
    'D299',
    ({ judge: referee, scene }) => {
      referee.heldHere('', scene.at + MINUTE);
      referee.holds([{ of: '', by: 'site https://site.example, ops', since: scene.at }]);
    },
  ],
  [
    'a revision that the machine neither runs nor refuses',
    'T840',
    (book) => {
      save(book, 1);
      const answer = { applied: undefined, refused: undefined };
      book.judge.settled({ kept: undefined, newest: 1, answer, told: [] });
    },
  ],
  [
    'a site that does not know what the machine runs',
    'T840',
    (book) => {
      save(book, 1);
      book.judge.kept(kept(1));
      const answer = { applied: undefined, refused: undefined };
      book.judge.settled({ kept: kept(1), newest: 1, answer, told: [] });
    },
  ],
  [
    'a command without an outcome',
    'T840',
    ({ judge: referee }) => {
      referee.given(RESTART);
      const told = [{ number: 1, outcome: undefined }];
      referee.settled({ kept: undefined, newest: undefined, answer: undefined, told });
    },
  ],
  [
    'another version than the last one',
    'T840',
    ({ judge: referee }) => referee.converged('acme_lidar', '1.3.0'),
  ],
];

it.each(CASES)('the oracle of a month judges %s: %s', (_what, expected, happens) => {
  const book = begun();
  happens(book);
  expect(book.judge.violation()?.invariant).toBe(expected);
});

it('the oracle of a month judges an unsigned command and an unsigned change of a machine with a pin', () => {
  const commanded = begun({ isPinned: true });
  commanded.judge.given(RESTART);
  commanded.judge.said(CARRIED_OUT);
  const changed = begun({ isPinned: true });
  save(changed, 1, { cuts: true });
  changed.judge.kept(kept(1, {}, { cuts: true }));
  const found = [commanded, changed].map((one) => one.judge.violation()?.invariant);
  expect(found).toEqual(['D300', 'D262']);
});
