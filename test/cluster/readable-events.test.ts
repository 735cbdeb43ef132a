import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeEvent, encodeEvent } from '../../src/cluster/event.ts';
import { Catalogue, readRelease } from '../../src/server/index.ts';
import { moduleId } from '../support/ask.ts';
import { versionTexts } from '../support/arbitrary.ts';
import { decodeReleaseDocument } from '../support/decoded-list.ts';
import { RUNS } from '../support/runs.ts';

const LIDAR = moduleId('acme:lidar');
const NOW = Date.parse('2026-11-21T01:02:03Z');

const two = (most: number): fc.Arbitrary<string> =>
  fc.integer({ min: 0, max: most }).map((number) => String(number).padStart(2, '0'));

/** Times at both ends of RFC 3339 and elsewhere, with any offset. */
const times = fc
  .tuple(
    fc.constantFrom('0000-01-01', '9999-12-31', '2024-02-29', '1969-12-31'),
    two(23),
    fc.constantFrom('00:00', '59:59.9999', '59:60', '30:01.5'),
    fc.constantFrom('+', '-'),
    two(23),
    two(59),
  )
  .map(([day, hour, rest, sign, hours, minutes]) => {
    return `${day}T${hour}:${rest}${sign}${hours}:${minutes}`;
  });

const reasons = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('', '\ud800', '\u0000'));
const hex = fc.constantFrom('ab'.repeat(32), 'ab'.repeat(64));
const artifacts = fc.array(
  fc.record(
    {
      platform: fc.constantFrom('linux/x86_64', 'linux/amd64', 'linux/arm64', 'any', 'any/amd64'),
      url: fc.oneof(fc.webUrl(), fc.constantFrom('https://x.example/%00', 'http://[::1]/a b')),
      digest: fc.tuple(fc.constantFrom('sha256:', 'sha512:'), hex).map((parts) => parts.join('')),
      size: fc.oneof(fc.double(), fc.maxSafeNat()),
    },
    { requiredKeys: ['platform', 'url', 'digest'] },
  ),
  { maxLength: 3 },
);
const releases = fc.record(
  {
    version: versionTexts,
    published_at: times,
    artifacts,
    deprecated: fc.option(reasons),
    yanked: fc.option(reasons),
    rollout: fc.record({ soak_ms: fc.oneof(fc.maxSafeNat(), fc.constant(3_600_000)) }),
  },
  { requiredKeys: ['version'] },
);

it('[T257] each release that may be published is the same in its event, and can be read in its list', () => {
  let accepted = 0;
  fc.assert(
    fc.property(releases, (json) => {
      // As in the body of a request, but without -0, which JSON writes as 0.
      const read = readRelease(JSON.parse(JSON.stringify(json)));
      if (!read.ok) return;
      accepted += 1;
      const named = { moduleId: LIDAR, release: read.value, now: NOW };
      const event = { kind: 'publish', ...named, start: undefined } as const;
      expect(decodeEvent(encodeEvent(event))).toEqual({
        ok: true,
        value: { event, mended: undefined },
      });
      const catalogue = new Catalogue(':memory:', { mode: 'create' });
      try {
        catalogue.publish(LIDAR, read.value, NOW);
        const bytes = catalogue.document(LIDAR)?.bytes ?? [];
        const list = decodeReleaseDocument(JSON.parse(Buffer.from(bytes).toString()), LIDAR);
        expect(list.dropped).toEqual([]);
        const { version, publishedAt = NOW } = read.value;
        expect(list.records).toMatchObject([{ version, publishedAt }]);
      } finally {
        catalogue.close();
      }
    }),
    { numRuns: RUNS.numRuns / 2 },
  );
  expect(accepted).toBeGreaterThan(RUNS.numRuns / 100);
});
