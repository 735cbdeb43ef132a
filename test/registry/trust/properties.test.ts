import fc from 'fast-check';
import { expect, it } from 'vitest';
import { indexReleases, resolve } from '../../../src/core/index.ts';
import { readTrustDocument } from '../../../src/core/trust/trust-document.ts';
import { lazyList } from '../../../src/registry/formats/decoded-list.ts';
import { moduleEntries } from '../../../src/registry/formats/module-document.ts';
import { releaseChecks } from '../../../src/registry/trust/release-checks.ts';
import { constraintTexts } from '../../support/arbitrary.ts';
import { chosen, constraint, moduleId } from '../../support/ask.ts';
import { cases } from '../../support/runs.ts';
import { digestOf, key, role, signed, trustOf, type TestKey } from '../../support/signed.ts';

const KEYS = ['a', 'b', 'c', 'd'].map((name) => key(name));
const subset = fc.subarray(KEYS);
const namespaces = fc.constantFrom('acme', '*', 'platform', 'other');
const modules = fc.constantFrom('acme:lidar', 'platform:agent', 'else:where');

/** Lines of a trust document, and which keys each namespace has. */
const roles = fc.uniqueArray(
  fc.record({
    of: namespaces,
    keys: fc.subarray(KEYS, { minLength: 1 }),
    most: fc.integer({ min: 1, max: 4 }),
  }),
  { selector: ({ of }) => of, maxLength: 3 },
);

const releases = fc.array(
  fc.record({
    version: fc.constantFrom('1.0.0', '1.1.0', '1.2.0', '2.0.0', '2.0.1-rc.1'),
    time: fc.constantFrom('2026-11-23T10:00:00Z', '2026-11-23T10:00:00.5Z'),
    content: fc.constantFrom('one', 'two'),
    // Who signs it, for which module, and what is altered afterwards.
    signers: subset,
    of: modules,
    altered: fc.constantFrom('nothing', 'file', 'size', 'time', 'platform', 'version'),
  }),
  { minLength: 1, maxLength: 6 },
);

type Drawn = typeof releases extends fc.Arbitrary<readonly (infer T)[]> ? T : never;

function made({ version, time, content, signers, of, altered }: Drawn) {
  const published_at = time.replace('.5Z', '.500Z');
  const file = { platform: 'linux/arm64', digest: digestOf(content), size: content.length };
  const right = signed(of, { version, published_at, artifacts: [file] }, ...signers);
  const others: Readonly<Record<string, object>> = {
    file: { artifacts: [{ ...file, digest: digestOf('other') }] },
    size: { artifacts: [{ ...file, size: 1 }] },
    time: { published_at: '2026-11-24T10:00:00Z' },
    platform: { artifacts: [{ ...file, platform: 'any' }] },
    version: { version: '1.3.0' },
  };
  return { ...right, ...others[altered] };
}

/** The keys of which so many have to sign, as a person reads the lines. */
function neededFor(
  id: string,
  lines: readonly { of: string; keys: readonly TestKey[]; most: number }[],
): { keys: readonly TestKey[]; threshold: number } | undefined {
  const [namespace] = id.split(':');
  const own = lines.find(({ of }) => of === namespace);
  const line = own ?? (namespace === 'platform' ? undefined : lines.find(({ of }) => of === '*'));
  return line && { keys: line.keys, threshold: Math.min(line.most, line.keys.length) };
}

it('[D133] a machine never selects a release without the signatures that its namespace needs', () => {
  let selected = 0;
  fc.assert(
    fc.property(roles, releases, modules, constraintTexts, (lines, drawn, id, wanted) => {
      const text = lines.map(({ of, keys, most }) =>
        role(`namespace ${of}`, Math.min(most, keys.length), ...keys),
      );
      const document = readTrustDocument(trustOf(text).text);
      if (!document.ok) throw new Error(document.error);
      const list = lazyList(moduleEntries({ releases: drawn.map(made) }, moduleId(id)), {});
      const trust = releaseChecks(document.value)(moduleId(id), list.records);
      const resolution = resolve(constraint(wanted), indexReleases(list.records), {
        now: 0,
        trust,
      });
      const version = chosen(resolution);
      if (version === undefined) return;
      selected++;
      const entries = drawn.filter((one) => made(one).version === version);
      const [entry] = entries;
      const needed = neededFor(id, lines);
      const signers = entry?.signers.filter((one) => needed?.keys.includes(one)) ?? [];
      expect([entries.length, entry?.altered, entry?.of]).toEqual([1, 'nothing', id]);
      expect(signers.length).toBeGreaterThanOrEqual(needed?.threshold ?? Infinity);
    }),
    // Few of them have all the signatures.
    cases(2000),
  );
  // The machine does select something.
  expect(selected).toBeGreaterThan(0);
});
