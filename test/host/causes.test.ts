import { describe, expect, it } from 'vitest';
import { causesOf } from '../../src/host/history/decision-causes.ts';
import { compileWindows } from '../../src/config/window.ts';
import type { DecideInput } from '../../src/core/index.ts';
import type { PastDecision, RecordedDecision } from '../../src/store/decision-history.ts';
import { encodeFacts } from '../../src/store/facts.ts';
import { version } from '../support/ask.ts';
import { moduleQuestion, type Situation } from '../support/decided.ts';
import { DAY, NOW } from '../support/decides.ts';

interface Moment {
  readonly situation?: Partial<Situation>;
  readonly input?: Partial<DecideInput>;
  readonly recorded?: Partial<RecordedDecision>;
}

const LIST = { address: 'https://a.example', digest: 'one' };

/** A decision with these facts; what is absent is as in every other one. */
function decided({ situation, input, recorded }: Moment): PastDecision {
  const question = moduleQuestion({
    wanted: '1.*',
    deployed: '1.2.3',
    list: ['1.2.3'],
    ...situation,
  });
  const facts: unknown = JSON.parse(encodeFacts({ ...question, ...input }));
  const decision: RecordedDecision = {
    kind: 'module',
    name: 'acme_lidar',
    moduleId: 'acme:lidar',
    constraint: '1.*',
    decision: 'up-to-date',
    target: undefined,
    latest: '1.2.3',
    reason: 'x',
    until: undefined,
    deployed: '1.2.3',
    newest: '1.2.3',
    list: LIST,
    facts,
    ...recorded,
  };
  return { since: 0, first: decision, last: decision };
}

const TIMING = { restarts: [NOW - 60_000], restartCooldownMs: 300_000, restartCeiling: 12 };
const failed = (until?: number) => [{ version: '1.2.9', until }];
const HOUR = 3_600_000;
const NIGHTLY = { start: '0 2 * * *', durationMs: HOUR, timeZone: 'UTC' };
const CLOSED = { window: compileWindows([NIGHTLY]) };
const FULL = { restarts: [NOW], restartCooldownMs: 0, restartCeiling: 1 };
const [FROM, TO] = [version('1.2.9'), version('1.2.3')];
const ROLLED_BACK = { version: '1.2.9', rolledBack: { from: FROM, to: TO, refused: undefined } };
const later = (ms: number): Partial<Situation> => ({ eligibility: { now: NOW + ms } });
const stale = (confirmedAt: number): Partial<Situation> => ({
  stale: { confirmedAt, message: 'x' },
});

const BLACKOUT = { blackouts: [{ from: NOW + HOUR, until: NOW + 2 * HOUR, timeZone: 'UTC' }] };
const BEFORE = { situation: { timing: BLACKOUT } };
const DURING = { situation: { timing: BLACKOUT, ...later(HOUR) } };
const AFTER = { situation: { timing: BLACKOUT, ...later(2 * HOUR) } };
const HELD = { recorded: { decision: 'hold' } };

describe('what made a decision replace another one', () => {
  it.each<[string, Moment, Moment]>([
    ['', {}, {}],
    ['the entry names another module', {}, { recorded: { moduleId: 'acme:cam' } }],
    ['the constraint changed from 1.* to 2.*', {}, { recorded: { constraint: '2.*' } }],
    [
      'the entry was edited since 1.2.9 failed',
      { situation: { quarantine: failed() } },
      { situation: { quarantine: [{ version: '1.2.9', retry: 1 }] } },
    ],
    [
      'the constraint changed from none to 2.*',
      { recorded: { constraint: undefined } },
      { recorded: { constraint: '2.*' } },
    ],
    [
      'the policy changed: minimum_release_age',
      {},
      { situation: { eligibility: { now: NOW, minimumAge: { ms: DAY, unknown: 'refuse' } } } },
    ],
    [
      'the policy changed: allow_downgrade',
      { situation: { allowDowngrade: true } },
      { situation: { allowDowngrade: false } },
    ],
    [
      'the policy changed: on_yank',
      { situation: { onYank: 'keep' } },
      { situation: { onYank: 'replace' } },
    ],
    [
      'the policy changed: require_digest',
      { situation: { eligibility: { artifactRules: { requireDigest: false, allowHttp: [] } } } },
      { situation: { eligibility: { artifactRules: { requireDigest: true, allowHttp: [] } } } },
    ],
    [
      'the policy changed: allow_http',
      { situation: { eligibility: { artifactRules: { requireDigest: false, allowHttp: [] } } } },
      { situation: { eligibility: { artifactRules: { requireDigest: false, allowHttp: ['h'] } } } },
    ],
    [
      'the policy changed: restart_cooldown',
      {},
      { situation: { timing: { restartCooldownMs: 1 } } },
    ],
    ['the policy changed: restart_ceiling', {}, { situation: { timing: { restartCeiling: 3 } } }],
    ['the policy changed: max_index_age', {}, { input: { maxIndexAgeMs: 7 } }],
    [
      'the policy changed: registry',
      {},
      { recorded: { list: { ...LIST, address: 'https://b.example' } } },
    ],
    [
      'the policy changed: registry, restart_ceiling',
      {},
      {
        recorded: { list: { ...LIST, address: 'https://b.example' } },
        situation: { timing: { restartCeiling: 3 } },
      },
    ],
    ['1.2.9 was deployed', {}, { recorded: { deployed: '1.2.9' } }],
    ['nothing is deployed any more', {}, { recorded: { deployed: 'none' } }],
    ['the deployed version is not known any more', {}, { recorded: { deployed: 'unknown' } }],
    ['1.2.9 failed', {}, { situation: { quarantine: failed() } }],
    [
      'an operator refused 1.2.9',
      {},
      { situation: { quarantine: [{ version: '1.2.9', byOperator: true }] } },
    ],
    [
      '1.2.9 failed',
      { situation: { quarantine: failed(NOW) } },
      { situation: { quarantine: failed(NOW + DAY) } },
    ],
    ['the quarantine of 1.2.9 was lifted', { situation: { quarantine: failed() } }, {}],
    [
      '',
      { situation: { quarantine: failed(NOW + 1000) } },
      { situation: { quarantine: failed(NOW + 1000), ...later(999) } },
    ],
    [
      'the quarantine of 1.2.9 ended',
      { situation: { quarantine: failed(NOW + 1000) } },
      { situation: { quarantine: failed(NOW + 1000), ...later(1000) } },
    ],
    [
      '',
      { situation: { quarantine: failed(NOW + 1000), ...later(1000) } },
      { situation: { quarantine: failed(NOW + 1000), ...later(2000) } },
    ],
    [
      'the release list could not be read',
      {},
      { situation: { list: { error: { kind: 'registry-timeout', message: 'x' } } } },
    ],
    [
      'the release list could be read',
      { situation: { list: { error: { kind: 'registry-timeout', message: 'x' } } } },
      {},
    ],
    ['the release list changed', {}, { recorded: { list: { ...LIST, digest: 'two' } } }],
    [
      '1.2.9 was published',
      {},
      { recorded: { list: { ...LIST, digest: 'two' }, newest: '1.2.9' } },
    ],
    [
      'the release list changed',
      {},
      { recorded: { list: { ...LIST, digest: 'two' }, newest: '1.2.2' } },
    ],
    [
      '1.2.9 was published',
      { recorded: { newest: undefined } },
      { recorded: { list: { ...LIST, digest: 'two' }, newest: '1.2.9' } },
    ],
    ['the registry could not confirm the list', {}, { situation: stale(NOW) }],
    ['the registry confirmed the list again', { situation: stale(NOW) }, {}],
    [
      'the saved list became too old',
      { situation: stale(NOW), input: { maxIndexAgeMs: DAY } },
      { situation: { ...stale(NOW), ...later(DAY + 1) }, input: { maxIndexAgeMs: DAY } },
    ],
    [
      '',
      { situation: stale(NOW), input: { maxIndexAgeMs: DAY } },
      { situation: { ...stale(NOW), ...later(DAY - 1) }, input: { maxIndexAgeMs: DAY } },
    ],
    [
      'the list was not confirmed for an hour, which a release in rollout needs',
      { situation: { readAt: NOW - HOUR }, recorded: { target: '1.3.0' } },
      { situation: { readAt: NOW - HOUR - 1 }, recorded: { target: '1.2.9' } },
    ],
    [
      '',
      { situation: { readAt: NOW - HOUR }, recorded: { target: '1.3.0' } },
      { situation: { readAt: NOW - HOUR }, recorded: { target: '1.2.9' } },
    ],
    [
      'the agent did not allow maintenance',
      {},
      { situation: { timing: { answer: 'not-allowed' } } },
    ],
    ['', {}, { situation: { timing: { answer: 'allowed' } } }],
    [
      'the agent allowed maintenance',
      { situation: { timing: { answer: 'not-allowed' } } },
      { situation: { timing: { answer: 'allowed' } } },
    ],
    [
      'the server began to process config changes',
      {},
      { situation: { timing: { isServerBusy: true } } },
    ],
    [
      'the server has processed config changes',
      { situation: { timing: { isServerBusy: true } } },
      {},
    ],
    [
      'the restart cooldown ended',
      { situation: { timing: TIMING }, recorded: { decision: 'hold' } },
      { situation: { timing: TIMING, ...later(300_000) } },
    ],
    [
      '',
      { situation: { timing: TIMING }, recorded: { decision: 'upgrade' } },
      { situation: { timing: TIMING, ...later(300_000) } },
    ],
    [
      'an action was begun, which counts as a restart',
      {},
      { situation: { timing: { restarts: [NOW] } }, recorded: { decision: 'hold' } },
    ],
    ['the policy changed: blackout', {}, BEFORE],
    ['a blackout began', { ...BEFORE, recorded: { decision: 'upgrade' } }, { ...DURING, ...HELD }],
    ['the blackout ended', { ...DURING, ...HELD }, AFTER],
    ['', BEFORE, { ...DURING, ...HELD }],
    [
      'the policy changed: maintenance',
      {},
      { situation: { timing: { window: compileWindows([NIGHTLY]) } } },
    ],
    [
      'the maintenance window opened',
      { situation: { timing: CLOSED }, recorded: { decision: 'hold' } },
      { situation: { timing: CLOSED, ...later(2 * HOUR) } },
    ],
    ['', { situation: { timing: CLOSED } }, { situation: { timing: CLOSED, ...later(2 * HOUR) } }],
    [
      'the maintenance window closed',
      { situation: { timing: CLOSED, ...later(2 * HOUR) }, recorded: { decision: 'upgrade' } },
      { situation: { timing: CLOSED, ...later(3 * HOUR) }, recorded: { decision: 'hold' } },
    ],
    [
      '',
      { situation: { timing: CLOSED, ...later(2 * HOUR) } },
      { situation: { timing: CLOSED, ...later(3 * HOUR) }, recorded: { decision: 'hold' } },
    ],
    [
      'another restart is allowed',
      { situation: { timing: FULL }, recorded: { decision: 'hold' } },
      { situation: { timing: FULL, ...later(DAY) } },
    ],
    [
      '',
      { situation: { timing: { restarts: [NOW] } }, recorded: { decision: 'hold' } },
      { situation: { timing: { restarts: [NOW] } }, recorded: { decision: 'hold' } },
    ],
    ['', {}, { situation: { timing: { restarts: [NOW] } } }],
    ['the agent did not allow maintenance', {}, { situation: { timing: { answer: 'failed' } } }],
    [
      '',
      { situation: { timing: { answer: 'not-allowed' } } },
      { situation: { timing: { answer: 'not-allowed' } } },
    ],
    ['', { situation: { timing: { answer: 'not-allowed' } } }, {}],
    ['an operator rolled 1.2.9 back', {}, { situation: { quarantine: [ROLLED_BACK] } }],
    ['', { recorded: { list: undefined } }, { recorded: { list: { ...LIST, digest: 'two' } } }],
    ['the constraint changed from 1.* to none', {}, { recorded: { constraint: undefined } }],
    [
      '1.2.9 reached the minimum age',
      { situation: { eligibility: { now: NOW, minimumAge: { ms: DAY, unknown: 'refuse' } } } },
      {
        situation: { eligibility: { now: NOW + DAY, minimumAge: { ms: DAY, unknown: 'refuse' } } },
        recorded: { target: '1.2.9' },
      },
    ],
    ['', {}, { situation: later(DAY), recorded: { target: '1.2.9' } }],
  ])('%s', (causes, before, after) => {
    expect(causesOf(decided(before), decided(after)).join('; ')).toBe(causes);
  });
});
