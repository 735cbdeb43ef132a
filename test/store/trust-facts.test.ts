import { describe, expect, it } from 'vitest';
import { decide, indexReleases, resolve } from '../../src/core/index.ts';
import { eligibilityOf } from '../../src/core/decision/eligibility-of.ts';
import { decodeFacts, encodeFacts, haveSameFacts } from '../../src/store/facts.ts';
import { readTrustDocument } from '../../src/core/trust/trust-document.ts';
import { releaseChecks } from '../../src/registry/trust/release-checks.ts';
import { causesOf } from '../../src/host/history/decision-causes.ts';
import type { PastDecision, RecordedDecision } from '../../src/store/decision-history.ts';
import { chosen, constraint, moduleId, refusals } from '../support/ask.ts';
import { moduleQuestion } from '../support/decided.ts';
import { APPROVER, AUTHOR, signed, trustOf } from '../support/signed.ts';

const AT = '2026-11-23T10:00:00Z';
const RECORDS = [
  signed('acme:lidar', { version: '1.2.0', published_at: AT }, AUTHOR, APPROVER),
  signed('acme:lidar', { version: '1.3.0', published_at: AT }, AUTHOR),
].map(({ version, signatures }) => ({ version, signatures, publishedAt: Date.parse(AT) }));

function question(isTrusting: boolean) {
  const read = readTrustDocument(trustOf().text);
  if (!read.ok) throw new Error(read.error);
  const input = moduleQuestion({ wanted: '1.*', deployed: '1.1.0' });
  const index = indexReleases(RECORDS);
  const trust = isTrusting ? releaseChecks(read.value)(moduleId('acme:lidar'), RECORDS) : undefined;
  return { ...input, list: { index, trust } };
}

function decoded(input: ReturnType<typeof question>) {
  const parts = { index: input.list.index, windowOf: () => ({}) as never };
  const facts = decodeFacts(JSON.parse(encodeFacts(input)), parts);
  if ('damaged' in facts) throw new Error(facts.damaged);
  return facts.input;
}

function recorded(isTrusting: boolean): PastDecision {
  const input = question(isTrusting);
  decide(input);
  const facts: unknown = JSON.parse(encodeFacts(input));
  const one = { facts, moduleId: 'acme:lidar', constraint: '1.*', deployed: '1.1.0' };
  return { first: one, last: one } as never;
}

describe('[D133] the facts of a decision', () => {
  it('have what was found of signatures, and lead to the same decision', () => {
    const input = question(true);
    const decision = decide(input);
    expect(decision).toMatchObject({ kind: 'replace', to: { version: { text: '1.2.0' } } });
    expect(JSON.parse(encodeFacts(input)).list.trust).toEqual({
      verdicts: {
        $map: [
          ['1.3.0', { reason: 'unsigned', signed: 1, needed: 2 }],
          ['1.2.0', null],
        ],
      },
    });
    const again = decoded(input);
    expect(decide(again)).toMatchObject({ kind: 'replace', to: { version: { text: '1.2.0' } } });
    expect(encodeFacts(again)).toBe(encodeFacts(input));
    expect(haveSameFacts(again.list, input.list)).toBe(true);
  });

  it('have no signatures of what was not looked at, which is then refused', () => {
    const again = decoded(question(true));
    if ('error' in again.list) throw new Error('no list');
    const eligibility = eligibilityOf(again, again.list);
    const resolution = resolve(constraint('1.*'), again.list.index, eligibility);
    expect([chosen(resolution), refusals(resolution)]).toEqual([
      undefined,
      ['1.3.0: unsigned', '1.2.0: unsigned'],
    ]);
  });

  it('differ by a verdict, and by a policy that names a trust document', () => {
    const [one, other, without] = [question(true), question(true), question(false)];
    decide(one);
    decide(other);
    expect(haveSameFacts(one.list, other.list)).toBe(true);
    expect(haveSameFacts(one.list, without.list)).toBe(false);
    const verdicts = new Map(one.list.trust?.verdicts).set('1.2.0', {
      reason: 'bad-signature',
      found: 'wrong',
      keyId: AUTHOR.id,
    });
    const changed = { ...one.list, trust: { check: () => undefined, verdicts } };
    expect(haveSameFacts(one.list, changed)).toBe(false);
  });

  it.each([
    [{ '1.2.0': true }],
    [{ '1.2.0': { reason: 'unsigned' } }],
    [{ '1.2.0': { reason: 'bad-signature', found: 'any' } }],
  ])('are damaged with the verdicts %j', (verdicts) => {
    const input = question(true);
    const facts = JSON.parse(encodeFacts(input));
    facts.list.trust.verdicts = { $map: Object.entries(verdicts) };
    const parts = { index: input.list.index, windowOf: () => ({}) as never };
    expect(decodeFacts(facts, parts)).toEqual({ damaged: 'list' });
  });

  it.each([
    [{ reason: 'unsigned', signed: 0, needed: 1, of: 'npm' }],
    [{ reason: 'bad-signature', found: 'unknown-key', keyId: 'SHA256:one' }],
    [{ reason: 'bad-signature', found: 'expired-key', keyId: 'SHA256:one' }],
  ] as const)('[D200] have what was found of the signatures of npm: %j', (verdict) => {
    const input = question(true);
    const trust = { check: () => verdict, verdicts: new Map([['1.2.0', verdict]]) };
    const again = decoded({ ...input, list: { ...input.list, trust } });
    expect(haveSameFacts(again.list, { ...input.list, trust })).toBe(true);
  });

  it('[D200] say that the policy began to name keys of an npm registry', () => {
    const [before, after] = [recorded(false), recorded(true)];
    const list = { address: 'npm:https://npm.example' };
    const of = ({ first }: PastDecision): PastDecision => {
      const one = { ...first, list } as RecordedDecision;
      return { ...before, first: one, last: one };
    };
    expect(causesOf(of(before), of(after))).toEqual(['the policy changed: npm_keys']);
  });

  it('say that the policy began to name a trust document', () => {
    expect(causesOf(recorded(false), recorded(true))).toEqual(['the policy changed: trust']);
    expect(causesOf(recorded(true), recorded(true))).toEqual([]);
  });
});
