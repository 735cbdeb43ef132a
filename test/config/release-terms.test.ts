import { describe, expect, it } from 'vitest';
import { checkDocument, readUpdatePolicy, termsFor } from '../../src/config/index.ts';
import { encodeFacts } from '../../src/store/facts.ts';
import { moduleQuestion } from '../support/decided.ts';
import { releaseTerms } from '../../src/core/machine/update-policy.ts';
import { moduleId } from '../support/ask.ts';
import { NOW } from '../support/decides.ts';
import { value } from '../support/reading.ts';
import { refusing } from '../support/refusing.ts';

const DAY = 86_400_000;
const LIDAR = moduleId('acme:lidar');
const AT = { now: NOW, platform: 'linux/arm64' } as const;

function modules(own: object): object {
  return { modules: { n: own } };
}

function termsOf(document: object, id = LIDAR, name = 'n') {
  const policy = value(readUpdatePolicy(JSON.stringify(document)));
  return releaseTerms(termsFor(policy, name), id, AT);
}

describe('[D94] what a policy refuses', () => {
  const both = {
    refuse: {
      'acme:lidar': ['1.2.7', { versions: '1.3.*', reason: 'stops the motor' }],
      '*': [{ versions: '0.*' }],
    },
    modules: { n: { allow_downgrade: false } },
  };

  it('is what it says of the module, and then of all', () => {
    const [one, branch, all] = refusing('1.2.7', '1.3.*', '0.*');
    expect(termsOf(both).refuse).toEqual([one, { ...branch, because: 'stops the motor' }, all]);
    expect(termsOf(both, moduleId('acme:cam')).refuse).toEqual([all]);
    expect(termsOf({ refuse: { 'acme:lidar': ['1.*'] } }, moduleId('acme:cam')).refuse).toBe(
      undefined,
    );
  });

  it('[T398] within the longest lists, is within the facts that a machine may report', () => {
    const entries = Array.from({ length: 50 }, (_, patch) => {
      return { versions: `1000.1000.${1000 + patch}-rc.1`, reason: 'x'.repeat(80) };
    });
    const exempt = entries.map(({ versions }) => versions);
    const longest = {
      refuse: { 'acme:lidar': entries, '*': entries },
      age_exempt: { 'acme:lidar': exempt },
      minimum_release_age: '3d',
    };
    const facts = encodeFacts(
      moduleQuestion({ wanted: '1.*', deployed: '1.0.0', eligibility: termsOf(longest) }),
    );
    expect(facts.length).toBeLessThan(32 * 1024);
  });

  it.each<[object, string, string]>([
    [
      { refuse: { 'acme:lidar': ['latest'] } },
      '/refuse/acme:lidar/0',
      '"latest" is not a version such as 1.2.7, or 1.3.* or 1.*',
    ],
    [
      { refuse: { 'acme:lidar': [7] } },
      '/refuse/acme:lidar/0',
      'found a number, expected a version such as 1.2.7, or 1.3.* or 1.*, or an object with versions and reason',
    ],
    [
      { refuse: { 'acme:lidar': [{ reason: 'x' }] } },
      '/refuse/acme:lidar/0',
      'versions is required',
    ],
    [
      { refuse: { '*': [{ versions: '1.*', reason: '' }] } },
      '/refuse/*/0/reason',
      'found 0 characters, expected 1 to 80',
    ],
    [
      { refuse: { lidar: ['1.*'] } },
      '/refuse',
      '"lidar" is neither a module_id such as acme:lidar nor *, which means all modules',
    ],
    [
      { refuse: { '*': Array.from({ length: 51 }, () => '1.*') } },
      '/refuse/*',
      'found 51 entries, expected at most 50 in a list',
    ],
    [
      { age_exempt: { 'acme:lidar': ['1.*'] } },
      '/age_exempt/acme:lidar/0',
      '"1.*" is not a version: expected a number at character 3',
    ],
    [
      { age_exempt: { '*': [] } },
      '/age_exempt',
      '"*" is not a module id: expected a letter or a digit',
    ],
  ])('[T398] is not %j', (document, path, message) => {
    const { problems } = checkDocument(JSON.stringify(document), 'policy');
    expect(problems.map((found) => [found.severity, found.path, found.message])).toEqual([
      ['error', path, message],
    ]);
  });

  it('[T398] a field of a refusal that modreg does not know is an error', () => {
    const document = { refuse: { '*': [{ versions: '1.*', raeson: 'x' }] } };
    const { problems } = checkDocument(JSON.stringify(document), 'policy');
    expect(problems).toMatchObject([
      { severity: 'error', path: '/refuse/*/0/raeson', suggestion: 'reason' },
    ]);
  });
});

describe('[D97] [D98] the ages of a policy', () => {
  const by = { major: '14d', patch: '1d' };
  const steps = { major: 14 * DAY, minor: 3 * DAY, patch: DAY };
  it.each<[string, object, object | undefined]>([
    ['none', {}, undefined],
    ['one for all steps', { minimum_release_age: '3d' }, { ms: 3 * DAY }],
    [
      'by step: one that is absent is that of all',
      { minimum_release_age: '3d', minimum_release_age_by_step: by },
      { ms: 3 * DAY, byStep: steps },
    ],
    [
      'by step alone',
      { minimum_release_age_by_step: { patch: '1d' } },
      { ms: 0, byStep: { major: 0, minor: 0, patch: DAY } },
    ],
    ['by step, and all of them zero', { minimum_release_age_by_step: { patch: '0s' } }, undefined],
    [
      'the steps of the module',
      { minimum_release_age: '3d', ...modules({ minimum_release_age_by_step: by }) },
      { ms: 3 * DAY, byStep: steps },
    ],
    [
      'one age of the module replaces the general steps',
      {
        minimum_release_age_by_step: by,
        age_after_yank: '6h',
        ...modules({ minimum_release_age: '5d' }),
      },
      { ms: 5 * DAY, afterYank: DAY / 4 },
    ],
    [
      'exempt versions of the module',
      {
        minimum_release_age: '3d',
        age_exempt: { 'acme:lidar': ['1.2.8', '1.2.9+b1'], 'acme:cam': ['1.0.0'] },
      },
      { ms: 3 * DAY, exempt: ['1.2.8', '1.2.9+b1'] },
    ],
  ])('%s', (_title, policy, expected) => {
    const { minimumAge } = termsOf(policy);
    expect(minimumAge).toEqual(expected && { unknown: 'refuse', ...expected });
  });

  it('are recorded with a decision as they are', () => {
    const eligibility = termsOf({ minimum_release_age: '3d', minimum_release_age_by_step: by });
    const input = moduleQuestion({ wanted: '1.*', deployed: '1.0.0', eligibility });
    expect(JSON.parse(encodeFacts(input))).toMatchObject({
      eligibility: { minimumAge: { byStep: steps } },
    });
  });
});
