import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { readTrustDocument } from '../../src/core/trust/trust-document.ts';
import { chainFrom } from '../../src/registry/trust/pinned-document.ts';
import { temporaryFolder } from '../support/folder.ts';
import {
  APPROVER,
  AUTHOR,
  key,
  role,
  ROOT_ONE,
  ROOT_TWO,
  signed,
  STRANGER,
  trustOf,
  type TestKey,
} from '../support/signed.ts';
import { append, later, ROLES } from './support/later-versions.ts';
import { REGISTRY, signingSite } from './support/signing-site.ts';
import { LIDAR, opened, release, selected } from './support/trusted.ts';

const ONE_ROOT = role('root', 1, ROOT_ONE);
const OTHER_ROOT = role('root', 1, STRANGER);
const UNTRUSTED = ['1.0.0', 'registry-untrusted'];
const STAYS =
  'the registry REGISTRY signed its answer by version 2 of its trust document, expected 1';

describe('[D150] a machine follows a trust document', () => {
  it.each<[string, readonly [number, string][], readonly unknown[]]>([
    ['to the next version', [[2, later(2)]], ['1.0.0']],
    [
      'over many versions, which replace all root keys',
      [
        [2, later(2, [ROOT_ONE, STRANGER], { root: OTHER_ROOT })],
        [3, later(3, [STRANGER], { root: OTHER_ROOT })],
        [4, later(4, [STRANGER, ROOT_TWO], { root: role('root', 1, ROOT_TWO) })],
      ],
      ['1.0.0'],
    ],
    ['not if nobody signed it', [[2, later(2, [])]], [...UNTRUSTED, STAYS]],
    [
      'not if only its own root keys signed it',
      [[2, later(2, [STRANGER], { root: OTHER_ROOT })]],
      [...UNTRUSTED, STAYS],
    ],
    [
      'not if only the root keys before signed it',
      [[2, later(2, [ROOT_ONE], { root: OTHER_ROOT })]],
      [...UNTRUSTED, STAYS],
    ],
    [
      'not to one of another name',
      [[2, later(2, [ROOT_ONE], { name: 'x' })]],
      [...UNTRUSTED, STAYS],
    ],
    ['not over a gap', [[3, later(3)]], [...UNTRUSTED, STAYS.replace('version 2', 'version 3')]],
    [
      'not to one under the number of another',
      [[2, later(3)]],
      [...UNTRUSTED, STAYS.replace('version 2', 'version 3')],
    ],
  ])('%s', async (_title, versions, expected) => {
    const { proxy, machine, read, catalogue } = await signingSite(trustOf(ROLES));
    const registry = machine();
    expect(await read(registry)).toEqual(['1.0.0']);
    for (const [version, text] of versions) append(catalogue, version, text);
    const count = proxy.requests.length;
    expect(await read(registry)).toEqual(expected);
    // All versions are one request, and a version that is known is none.
    const asked = (): number =>
      proxy.requests.slice(count).filter((one) => one === '/v1/trust').length;
    expect(asked()).toBe(1);
    expect(await read(registry)).toEqual(expected);
    expect(await read(machine())).toEqual(expected);
    expect(asked()).toBe(expected.length === 1 ? 1 : 3);
  });

  it('to one without a key, whose releases it then selects no more', async () => {
    const { machine, read, catalogue, publish } = await signingSite(trustOf(ROLES));
    publish(LIDAR, '1.1.0');
    const registry = machine();
    await read(registry);
    expect(await selected(registry, '1.*')).toEqual(['1.1.0', ['1.0.0: older']]);
    const removed = [role('registry', 1, REGISTRY), role('namespace acme', 1, APPROVER)];
    append(catalogue, 2, later(2, [ROOT_ONE], {}, removed));
    const none = [undefined, ['1.1.0: bad-signature', '1.0.0: bad-signature']];
    expect(await selected(registry, '1.*')).toEqual(none);
    expect(await selected(machine(), '1.*')).toEqual(none);
    append(catalogue, 3, later(3));
    expect(await selected(registry, '1.*')).toEqual(['1.1.0', ['1.0.0: older']]);
  });

  it('and never back to an earlier version', async () => {
    const { machine, read, catalogue } = await signingSite(trustOf(ROLES));
    await read(machine());
    append(catalogue, 2, later(2));
    const registry = machine();
    expect(await read(registry)).toEqual(['1.0.0']);
    const file = new DatabaseSync(catalogue.path);
    file.exec('DELETE FROM trust_documents WHERE version = 2');
    file.close();
    const back = [
      ...UNTRUSTED,
      'the registry REGISTRY signed its answer by version 1 of its trust document, expected 2',
    ];
    expect(await read(registry)).toEqual(back);
    expect(await read(machine())).toEqual(back);
    append(catalogue, 2, later(2));
    expect(await read(registry)).toEqual(['1.0.0']);
  });

  it('with the thresholds of both versions: each way to sign a second one', () => {
    const [a, b, c] = [key('a'), key('b'), key('c')] as const;
    const roots = [[a], [a, b], [b, c], [a, b, c]];
    const signers = [[], [a], [b], [c], [a, b], [a, c], [b, c], [a, b, c]];
    let accepted = 0;
    const both = roots.flatMap((one) => roots.map((two) => [one, two] as const));
    for (const [one, two] of both) {
      for (const [of, than] of [
        [1, 1],
        [1, 2],
        [2, 1],
        [2, 2],
      ] as const) {
        if (of > one.length || than > two.length) continue;
        const first = readTrustDocument(trustOf([], one, { root: role('root', of, ...one) }).text);
        if (!first.ok) throw new Error(first.error);
        for (const by of signers) {
          const text = later(2, by, { root: role('root', than, ...two) }, []);
          const count = (keys: readonly TestKey[]): number =>
            keys.filter((each) => by.includes(each)).length;
          const isNext = count(one) >= of && count(two) >= than;
          accepted += Number(isNext);
          expect(chainFrom(first.value, [text]).document.version).toBe(isNext ? 2 : 1);
        }
      }
    }
    expect(accepted).toBeGreaterThan(50);
  });
});

describe('[D151] a trust document that has expired', () => {
  const EXPIRES = Date.parse('2027-11-27T00:00:00Z');

  it('confirms no list, until there is a later version', async () => {
    const { machine, read, catalogue } = await signingSite(trustOf(ROLES));
    expect(await read(machine(undefined, EXPIRES - 1))).toEqual(['1.0.0']);
    const late = machine(undefined, EXPIRES);
    const expired = [
      '1.0.0',
      'trust-expired',
      'the trust document of the registry REGISTRY expired at 2027-11-27T00:00:00Z',
    ];
    expect(await read(late)).toEqual(expired);
    append(catalogue, 2, later(2, [ROOT_ONE], { expires: '2028-11-27T00:00:00Z', root: ONE_ROOT }));
    expect(await read(late)).toEqual(['1.0.0']);
    expect(await read(machine(undefined, EXPIRES))).toEqual(['1.0.0']);
  });

  it('is no matter of a clock in 1970, and of one in 2099 until the clock is right', async () => {
    const { machine, read } = await signingSite(trustOf(ROLES));
    expect(await read(machine(undefined, 0))).toEqual(['1.0.0']);
    // The list that was confirmed in 1970 is too old as well.
    const [kind, message] = await read(machine(undefined, Date.parse('2099-01-01T00:00:00Z')));
    expect([kind, message]).toEqual(['list-stale', expect.stringContaining('expired at 2027')]);
    expect(await read(machine())).toEqual(['1.0.0']);
  });
});

it('[D150] a folder has all versions in its file', async () => {
  const first = trustOf(ROLES);
  const second = later(2, [ROOT_ONE], {}, [role('namespace acme', 1, APPROVER)]);
  const releases = [
    signed('acme:lidar', release('1.0.0'), APPROVER),
    signed('acme:lidar', release('1.1.0'), AUTHOR),
  ];
  const folder = temporaryFolder({
    'acme/lidar.json': JSON.stringify({ releases }),
    'trust.txt': first.text + second,
  });
  expect(await selected(opened(folder, first.pin), '1.*')).toEqual([
    '1.0.0',
    ['1.1.0: bad-signature'],
  ]);
});
