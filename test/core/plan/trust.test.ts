import { expect, it } from 'vitest';
import { DEFAULT_POLICY } from '../../../src/config/index.ts';
import { describeDecision } from '../../../src/core/index.ts';
import type { NpmKey } from '../../../src/core/machine/update-policy.ts';
import { npmKey } from '../../support/npm-signed.ts';
import { entry, known, plan } from '../../support/planned.ts';
import { trusting } from '../../support/trusting.ts';

const PIN = `sha256:${'0385'.repeat(16)}`;
const KEY = npmKey('one').listed;
const LIDAR = { modules: [entry('acme:lidar', '1.2.*')] };

it.each([
  [
    'a pin, and a check',
    PIN,
    true,
    'upgrade: newest patch of 1.2 that may be selected; 1.2.9 is unsigned: 1 of 2 signatures',
  ],
  [
    'a pin, and a list without a check',
    PIN,
    false,
    'keep: stays at 1.2.3, which is unsigned: its signatures were not checked; 1.2.9 and 1.2.4 are unsigned: its signatures were not checked; no release may be selected: 3 unsigned',
  ],
  ['no pin', undefined, false, 'upgrade: newest patch of 1.2'],
  ['unsigned on purpose', 'unsigned', false, 'upgrade: newest patch of 1.2'],
])('[D133] a list with %s', (_title, trust, isChecked, expected) => {
  const policy = { ...DEFAULT_POLICY, terms: { ...DEFAULT_POLICY.terms, trust } };
  const state = known('1.2.3', ['1.2.3', '1.2.4', '1.2.9']);
  const list = isChecked ? { ...state.list, trust: trusting('1.2.4') } : state.list;
  const [row] = plan(LIDAR, { acme_lidar: { ...state, list } }, { policy }).modules;
  const { decision } = row ?? {};
  const word = decision?.kind === 'replace' ? decision.direction : decision?.kind;
  expect(decision && `${word}: ${describeDecision(decision)}`).toBe(expected);
});

it.each<[string, string, readonly NpmKey[], string]>([
  [
    'keys of an npm registry, and a list without a check',
    'npm:https://npm.example',
    [KEY],
    'keep: stays at 1.2.3, which is unsigned: its signatures were not checked; 1.2.9 and 1.2.4 are unsigned: its signatures were not checked; no release may be selected: 3 unsigned',
  ],
  ['no key', 'npm:https://npm.example', [], 'upgrade: newest patch of 1.2'],
  ['a registry of another kind', 'oci:https://oci.example', [KEY], 'upgrade: newest patch of 1.2'],
])('[D200] a list with %s', (_title, registry, npmKeys, expected) => {
  const policy = { ...DEFAULT_POLICY, terms: { ...DEFAULT_POLICY.terms, registry, npmKeys } };
  const state = known('1.2.3', ['1.2.3', '1.2.4', '1.2.9']);
  const [row] = plan(LIDAR, { acme_lidar: state }, { policy }).modules;
  const { decision } = row ?? {};
  const word = decision?.kind === 'replace' ? decision.direction : decision?.kind;
  expect(decision && `${word}: ${describeDecision(decision)}`).toBe(expected);
});
