import { expect, it } from 'vitest';
import { decide, resolve, type Decision } from '../../../src/core/index.ts';
import { actionOf } from '../../../src/core/plan/action.ts';
import { ask, moduleId } from '../../support/ask.ts';
import { moduleQuestion, type Situation } from '../../support/decided.ts';

const LIDAR = { kind: 'module', name: 'lidar', moduleId: moduleId('acme:lidar') } as const;
const DAY = 86_400_000;
const UNTIL = Date.parse('2026-11-21T00:00:00Z') + DAY;

/** The facts in a decision, with versions as text. */
function factsOf(decision: Decision): object {
  if (decision.kind === 'replace' && decision.direction === 'rollback') {
    return { failure: textOf(decision.failure) };
  }
  if (decision.kind === 'stuck' && decision.code === 'quarantined') {
    return { failure: textOf(decision.failure) };
  }
  if (decision.kind !== 'keep' || decision.because !== 'ahead') return {};
  const { against } = decision;
  if (against?.kind !== 'refused') {
    return { against: against && { ...against, failure: textOf(against.failure) } };
  }
  const { refused } = against;
  if (refused.reason === 'not-a-version') return { against: refused.error.text };
  return { against: `${refused.release.version.text} ${refused.reason}` };
}

function textOf(
  failure:
    { readonly version: { readonly text: string }; readonly isRolledBack: boolean } | undefined,
): object | undefined {
  return failure && { ...failure, version: failure.version.text };
}

const BAD = { version: '1.2.5', until: UNTIL };

it.each<readonly [string, Situation, object]>([
  [
    'a rollback contains the failure of the deployed version (D13)',
    {
      wanted: '1.2.*',
      deployed: '1.2.5',
      previous: '1.2.3',
      list: ['1.2.3', '1.2.5'],
      quarantine: [BAD],
    },
    { failure: { version: '1.2.5', until: UNTIL, isRolledBack: false } },
  ],
  [
    'a decision on a pin that failed contains its failure (D13)',
    { wanted: '1.2.5', deployed: '1.2.3', list: ['1.2.5'], quarantine: [BAD] },
    { failure: { version: '1.2.5', until: UNTIL, isRolledBack: false } },
  ],
  [
    'a deployed version that is ahead and yanked: the decision contains its refusal (D16)',
    { wanted: '1.2.*', deployed: '1.2.6', list: ['1.2.5', { version: '1.2.6', yanked: 'hot' }] },
    { against: '1.2.6 yanked' },
  ],
  [
    'a deployed version that is ahead and not in the list (D16)',
    { wanted: '1.2.*', deployed: '1.2.6', list: ['1.2.5'] },
    { against: { kind: 'not-listed', failure: undefined } },
  ],
  [
    'a deployed version that failed and is not in the list, without a replacement (D13, D30)',
    { wanted: '1.2.*', deployed: '1.2.5', list: ['2.0.0'], quarantine: [BAD] },
    {
      against: {
        kind: 'not-listed',
        failure: { version: '1.2.5', until: UNTIL, isRolledBack: false },
      },
    },
  ],
  [
    'for deployed text that is not a version, `against` is undefined (D14)',
    { wanted: 'latest', deployed: 'reload-7', list: ['1.0.0'] },
    { against: undefined },
  ],
])('%s', (_, situation, facts) => {
  expect(factsOf(decide(moduleQuestion(situation)))).toEqual(facts);
});

it('a pin that is published but refused keeps its refusal (D20)', () => {
  const published = { version: '1.2.3', artifacts: [] };
  const { constraint, index } = ask('1.2.3', [published]).input;
  const resolution = resolve(constraint, index, { now: 0, platform: 'linux/arm64' });
  expect(resolution).toMatchObject({
    kind: 'unsatisfied',
    refusedPin: { reason: 'no-artifact', release: { version: { text: published.version } } },
  });
});

it.each<readonly [string, Situation, object]>([
  [
    'for a constraint',
    { wanted: '1.2.*', deployed: '1.2.3', list: ['1.2.5'] },
    { kind: 'constraint', constraint: '1.2.*', text: 'newest patch of 1.2' },
  ],
  [
    'for an address',
    {
      wanted: { kind: 'pin-url', url: 'https://x.example/a', shadowed: undefined },
      deployed: null,
    },
    { kind: 'pin-url', text: 'not deployed yet; from its pin_url' },
  ],
  [
    'for a failure',
    {
      wanted: '1.2.*',
      deployed: '1.2.5',
      previous: '1.2.3',
      list: ['1.2.3', '1.2.5'],
      quarantine: [BAD],
    },
    {
      kind: 'failure',
      version: '1.2.5',
      until: UNTIL,
      isRolledBack: false,
      text: '1.2.5 failed on this machine; 1.2.3 was deployed before it',
    },
  ],
])('the reason of an action is data and text: %s', (_, situation, reason) => {
  expect(actionOf(decide(moduleQuestion(situation)), LIDAR, [])?.reason).toEqual(reason);
});
