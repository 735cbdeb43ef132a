import { describe, expect, it } from 'vitest';
import {
  DEFAULT_POLICY,
  readUpdatePolicy,
  termsFor,
  type UpdateTerms,
} from '../../src/config/index.ts';
import { npmKey } from '../support/npm-signed.ts';
import { value } from '../support/reading.ts';

const [KEY, OTHER] = [npmKey('one').listed, npmKey('other').listed];
const NIGHT = [{ start: '0 1 * * *', duration: '2h', time_zone: 'UTC' }];
const HOLIDAY = [{ day: '2026-12-24', time_zone: 'UTC' }];
const NOON = Date.parse('2026-11-21T12:00:00Z');

/** The terms that a policy sets for all modules, and for one module. */
function terms(field: string, general: unknown, own: unknown): [UpdateTerms, UpdateTerms] {
  const document = { [field]: general, modules: { m: { [field]: own }, n: {} } };
  const policy = value(readUpdatePolicy(JSON.stringify(document)));
  expect(termsFor(policy, 'n')).toEqual(policy.terms);
  return [policy.terms, termsFor(policy, 'm')];
}

describe('a term of one module replaces the general one', () => {
  it.each<[string, unknown, unknown, (terms: UpdateTerms) => unknown, unknown, unknown]>([
    ['registry', 'https://a', 'https://b', (all) => all.registry, 'https://a', 'https://b'],
    ['allow_http', ['a', 'b'], ['c'], (all) => all.allowHttp, ['a', 'b'], ['c']],
    ['allow_http', ['a'], [], (all) => all.allowHttp, ['a'], []],
    ['minimum_release_age', '3d', '0s', (all) => all.minimumAge.ms, 259_200_000, 0],
    ['unknown_release_age', 'allow', 'refuse', (all) => all.minimumAge.unknown, 'allow', 'refuse'],
    [
      'trust',
      `sha256:${'0385'.repeat(16)}`,
      'unsigned',
      (all) => all.trust,
      `sha256:${'0385'.repeat(16)}`,
      'unsigned',
    ],
    ['npm_keys', [KEY, OTHER], [KEY], (all) => all.npmKeys, [KEY, OTHER], [KEY]],
    ['npm_keys', [KEY], [], (all) => all.npmKeys, [KEY], []],
    ['trust_clock', true, false, (all) => all.trustClock, true, false],
    [
      'maintenance',
      NIGHT,
      [],
      (all) => all.window?.nextOpening(NOON),
      Date.parse('2026-11-22T01:00:00Z'),
      undefined,
    ],
    ['blackout', HOLIDAY, [], (all) => all.blackouts?.length, 1, 0],
    ['allow_downgrade', true, false, (all) => all.allowDowngrade, true, false],
    ['on_yank', 'replace', 'keep', (all) => all.onYank, 'replace', 'keep'],
    ['require_digest', true, false, (all) => all.requireDigest, true, false],
    ['quarantine', '1d', 'until-lifted', (all) => all.quarantineMs, 86_400_000, undefined],
    ['quarantine', 'until-lifted', '0s', (all) => all.quarantineMs, undefined, 0],
    ['restart_cooldown', '10m', '0s', (all) => all.restartCooldownMs, 600_000, 0],
    ['longest_hold', '7d', '1s', (all) => all.longestHoldMs, 604_800_000, 1000],
    ['restart_ceiling', 6, 1, (all) => all.restartCeiling, 6, 1],
    ['max_index_age', '3d', '0s', (all) => all.maxIndexAgeMs, 259_200_000, 0],
    ['env_allow', ['PLATFORM_API_KEY'], [], (all) => all.envAllow, ['PLATFORM_API_KEY'], []],
    ['command', ['run'], ['bin/a', '-v'], (all) => all.run.command, ['run'], ['bin/a', '-v']],
    ['run_as', 'rover', 'root', (all) => all.run.runAs, 'rover', 'root'],
    ['no_new_privs', true, false, (all) => all.run.noNewPrivs, true, false],
    ['ready', 'socket', 'none', (all) => all.run.ready?.kind, 'socket', 'none'],
    ['ready_timeout', '10s', '1s', (all) => all.run.readyMs, 10_000, 1000],
    ['probation', '2m', '0s', (all) => all.run.probationMs, 120_000, 0],
    ['probe_interval', '9s', '1s', (all) => all.run.probeMs, 9000, 1000],
    ['stop_timeout', '90s', '0s', (all) => all.run.stopMs, 90_000, 0],
    [
      'restart_status',
      'http://127.0.0.1:8080/',
      'http://[::1]:7/status',
      (all) => all.run.restartStatus,
      'http://127.0.0.1:8080/',
      'http://[::1]:7/status',
    ],
    ['restart_status_unclear', 'hold', 'allow', (all) => all.run.onUnclearStatus, 'hold', 'allow'],
    ['prefetch', false, true, (all) => all.prefetch, false, true],
    ['disk_reserve_mib', 64, 0, (all) => all.diskReserveMib, 64, 0],
    ['self_update', false, true, (all) => all.run.selfUpdate, false, true],
  ])('%s %j: %j', (...[field, general, own, read, expected, expectedOwn]) => {
    const [all, one] = terms(field, general, own);
    expect([read(all), read(one)]).toEqual([expected, expectedOwn]);
    // All other terms are those of the default policy.
    const defaults = DEFAULT_POLICY.terms;
    const changed = Object.entries(all).filter(
      ([key, term]) => JSON.stringify(term) !== JSON.stringify(defaults[key as keyof UpdateTerms]),
    );
    expect(changed.length).toBeLessThanOrEqual(1);
  });
});

describe('a restart ceiling', () => {
  it.each([
    [0, false],
    [1, true],
    [1440, true],
    [1441, false],
  ])('of %i is allowed: %s', (ceiling, isAllowed) => {
    const { ok, problems } = readUpdatePolicy(JSON.stringify({ restart_ceiling: ceiling }));
    expect([ok, problems.map(({ message }) => message)]).toEqual([
      isAllowed,
      isAllowed ? [] : [`found ${ceiling}, expected a whole number from 1 to 1440`],
    ]);
  });
});
