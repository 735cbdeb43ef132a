import { describe, expect, it } from 'vitest';
import { readUpdatePolicy } from '../../src/config/index.ts';

const PIN = `sha256:${'0385'.repeat(16)}`;
const FOUND =
  'its releases need no signatures, because trust names no trust document; "unsigned" says that this is meant';

function found(policy: object, now?: number): string[] {
  const reading = readUpdatePolicy(JSON.stringify(policy), { now });
  return reading.problems.map(({ kind, path, message }) => `${kind} ${path}: ${message}`);
}

describe('[D137] a registry whose releases need no signatures', () => {
  it.each<[string, object, string[]]>([
    [
      'without a word',
      { registry: 'https://a.example' },
      [`unsigned-releases /registry: ${FOUND}`],
    ],
    [
      'of a module',
      { modules: { m: { registry: 'https://a.example' }, n: {} } },
      [`unsigned-releases /modules/m/registry: ${FOUND}`],
    ],
    [
      'that two modules have: once',
      { modules: { m: { registry: 'https://a.example' }, n: { registry: 'https://a.example' } } },
      [`unsigned-releases /modules/m/registry: ${FOUND}`],
    ],
    ['with a digest', { registry: 'https://a.example', trust: PIN }, []],
    ['on purpose', { registry: 'https://a.example', trust: 'unsigned' }, []],
    ['of a kind without signatures', { registry: 'npm:https://a.example' }, []],
    ['at a path', { registry: './registry' }, []],
    ['that is not named', {}, []],
  ])('%s', (_title, policy, expected) => {
    expect(found(policy, 0)).toEqual(expected);
    // Only a check says it.
    expect(found(policy)).toEqual([]);
  });
});
