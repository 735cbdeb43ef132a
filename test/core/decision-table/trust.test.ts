import { describe, expect, it } from 'vitest';
import { decide, type Refusal } from '../../../src/core/index.ts';
import { describeRefused } from '../../../src/core/explanation/words.ts';
import { ask, chosen, constraint, refusals, version } from '../../support/ask.ts';
import { decidesOn, moduleQuestion } from '../../support/decided.ts';
import { aged, DAY, decides, NOW } from '../../support/decides.ts';
import { floor } from '../../support/floor.ts';
import { trusting } from '../../support/trusting.ts';

const LIST = ['1.2.3', '1.2.4', '1.3.0'];
const FILE = [{ platform: 'any', digest: `sha256:${'a'.repeat(64)}`, url: 'https://a.example/f' }];

describe('[D133] a release without enough signatures', () => {
  decides([
    {
      case: 'D133 is refused: the best other one is selected',
      constraint: '1.*',
      list: LIST,
      eligibility: { now: NOW, trust: trusting('1.2.3', '1.2.4') },
      chosen: '1.2.4',
      refused: ['1.3.0: unsigned', '1.2.3: older'],
    },
    {
      case: 'D133 is refused under a pin',
      constraint: '1.3.0',
      list: LIST,
      eligibility: { now: NOW, trust: trusting('1.2.3') },
      chosen: undefined,
      refused: ['1.3.0: unsigned', '1.2.4: other-version', '1.2.3: other-version'],
    },
    {
      case: 'D133 comes after each other reason, because checking takes long',
      constraint: '1.*',
      list: [
        '1.2.3',
        { version: '1.2.4', yanked: '' },
        aged('1.2.5', 1),
        { version: '1.2.6', rollout: { salt: 's', percent: 0, share: 0 } },
      ],
      eligibility: {
        now: NOW,
        trust: trusting(),
        minimumAge: { ms: 3 * DAY, unknown: 'allow' },
        rollouts: {},
      },
      chosen: undefined,
      refused: ['1.2.6: not-in-rollout', '1.2.5: too-young', '1.2.4: yanked', '1.2.3: unsigned'],
    },
  ]);

  it('is found without checking what is older than the selected one', () => {
    const trust = trusting('1.2.4', '1.2.3');
    const resolution = ask('1.*', LIST, { now: NOW, trust });
    expect([chosen(resolution), trust.asked]).toEqual(['1.2.4', ['1.3.0', '1.2.4']]);
    expect(refusals(resolution)).toEqual(['1.3.0: unsigned', '1.2.3: older']);
    expect(trust.asked).not.toContain('1.2.3');
  });

  it.each<[Extract<Refusal, { readonly reason: 'unsigned' | 'bad-signature' }>, string]>([
    [{ reason: 'unsigned', signed: 1, needed: 2 }, 'unsigned: 1 of 2 signatures'],
    [{ reason: 'unsigned', signed: 0, needed: 1 }, 'unsigned: 0 of 1 signature'],
    [{ reason: 'unsigned', signed: 0, needed: 0 }, 'unsigned: no key may sign for its namespace'],
    [
      { reason: 'unsigned', signed: 0, needed: undefined },
      'unsigned: its signatures were not checked',
    ],
    [
      { reason: 'bad-signature', found: 'wrong', keyId: '72384182859740ab' },
      'bad signature: that of key 72384182859740ab is not of this release',
    ],
    [
      { reason: 'bad-signature', found: 'other-key', keyId: '72384182859740ab' },
      'bad signature: key 72384182859740ab may not sign for its namespace',
    ],
    [
      { reason: 'bad-signature', found: 'listed-twice', keyId: undefined },
      'bad signature: the list has the version twice',
    ],
    [
      { reason: 'bad-signature', found: 'too-many', keyId: undefined },
      'bad signature: the list has too many wrong ones, so no more are checked',
    ],
  ])('%j', (refusal, words) => {
    const release = { version: version('1.4.0') };
    expect(describeRefused({ release, ...refusal }, constraint('1.*'))).toBe(words);
  });
});

describe('[D133] what is deployed without enough signatures', () => {
  decidesOn([
    {
      case: 'D133 is kept, and not downgraded',
      wanted: '1.*',
      deployed: '1.3.0',
      list: LIST,
      signed: ['1.2.4'],
      expected:
        'ahead: stays at 1.3.0, which is unsigned: 1 of 2 signatures; the newest release of 1 that may be selected is 1.2.4',
      warns: ['ahead'],
    },
    {
      case: 'D133 is replaced by a newer one with signatures',
      wanted: '1.*',
      deployed: '1.2.3',
      list: LIST,
      signed: ['1.2.4'],
      expected:
        'upgrade to 1.2.4: newest release of 1 that may be selected; 1.3.0 is unsigned: 1 of 2 signatures',
    },
    {
      case: 'D133 the pin',
      wanted: '1.3.0',
      deployed: '1.2.3',
      list: LIST,
      signed: [],
      expected: 'stuck unsigned: the pin is published but refused: unsigned: 1 of 2 signatures',
    },
    {
      case: 'D133 nothing has enough: a first install waits',
      wanted: '1.*',
      deployed: null,
      list: LIST,
      signed: [],
      expected: 'stuck no-match: no release may be selected: 3 unsigned',
    },
    {
      case: 'D133 a floor: an operator has to act',
      wanted: '1.*',
      deployed: '1.2.3',
      list: ['1.2.3', floor('1.2.4'), '1.3.0'],
      signed: ['1.3.0'],
      expected:
        'stuck behind-floor: floor 1.2.4 has to run before any higher release, and is refused: unsigned: 1 of 2 signatures',
    },
    {
      case: 'D133 a rollback to the previous version needs signatures as any other release',
      wanted: '1.*',
      deployed: '1.3.0',
      previous: '1.2.4',
      list: LIST,
      signed: ['1.2.3', '1.3.0'],
      quarantine: [{ version: '1.3.0' }],
      expected:
        'rollback to 1.2.3: 1.3.0 failed on this machine; 1.2.3 instead: newest release of 1 that may be selected; 1.2.4 is unsigned: 1 of 2 signatures',
    },
    {
      case: 'D133 a rollback: its age does not matter, and its signatures do',
      wanted: '1.*',
      deployed: '1.3.0',
      previous: '1.2.4',
      list: [aged('1.2.3', 9), aged('1.2.4', 1), aged('1.3.0', 9)],
      eligibility: { minimumAge: { ms: 7 * DAY, unknown: 'refuse' } },
      signed: ['1.2.3', '1.3.0'],
      quarantine: [{ version: '1.3.0' }],
      expected:
        'rollback to 1.2.3: 1.3.0 failed on this machine; 1.2.3 instead: newest release of 1 that may be selected; 1.2.4 is too young until 2026-11-27T00:00:00Z',
    },
    {
      case: 'D133 nothing to roll back to: the failed version stays',
      wanted: '1.*',
      deployed: '1.3.0',
      previous: '1.2.4',
      list: LIST,
      signed: [],
      quarantine: [{ version: '1.3.0' }],
      expected:
        'ahead: stays at 1.3.0, which is quarantined on this machine; no release may be selected: 2 unsigned, 1 in quarantine',
      warns: ['ahead'],
    },
    {
      case: 'D133 another version failed, and an unsigned one runs since: it goes on',
      wanted: '1.*',
      deployed: '1.2.4',
      failed: '1.3.0',
      list: LIST,
      signed: ['1.2.3'],
      quarantine: [{ version: '1.3.0' }],
      expected:
        'ahead: stays at 1.2.4, which is unsigned: 1 of 2 signatures; the newest release of 1 that may be selected is 1.2.3; 1.3.0 is quarantined on this machine',
      warns: ['ahead'],
    },
  ]);

  it.each([
    ['with signatures: its file may be downloaded', ['1.2.3'], {}, true],
    ['without: it restarts as it is', [], {}, false],
    ['without, which another reason hides', [], { refuse: '1.2.3' }, false],
  ])('restarts %s', (_title, signed, { refuse }: { refuse?: string }, hasFile) => {
    const decision = decide(
      moduleQuestion({
        wanted: '1.*',
        deployed: '1.2.3',
        list: [{ version: '1.2.3', artifacts: FILE }],
        signed,
        restartRequest: { requestedAt: NOW, isImmediate: true },
        eligibility:
          refuse === undefined
            ? {}
            : { refuse: [{ versions: { kind: 'patch', version: version(refuse) } }] },
      }),
    );
    expect(decision).toMatchObject({ kind: 'replace', direction: 'restart' });
    const to = decision.kind === 'replace' && 'version' in decision.to ? decision.to : undefined;
    expect([to?.version.text, to?.artifacts !== undefined]).toEqual(['1.2.3', hasFile]);
  });
});
