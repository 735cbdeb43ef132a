import { expect, it } from 'vitest';
import { listedRollout } from '../../../src/core/rollout/rollout.ts';
import { rolloutAfter } from '../../support/rollout-after.ts';
import { NOW } from '../../support/decides.ts';
import { AUTHOR } from '../../support/signed.ts';

/**
 * How 0.2.0, which knows rollouts and no groups, reads a list and selects a release: its `core/index.ts`, `registry/formats/release-document.ts`
 * and `registry/formats/decoded-list.ts` in one file, bundled with `rolldown --format esm --platform node --minify`.
 */
// @ts-expect-error A bundle has no types.
const reader: Promise<Reader> = import('../../fixtures/previous-release/reader-0.2.0.mjs');

type Read<T> = (text: string) => { readonly value: T };

interface Reader {
  readonly parseConstraint: Read<object>;
  readonly parseModuleId: Read<string>;
  readonly releaseEntries: (document: object, id: string) => object;
  readonly lazyList: (
    entries: object,
    terms: object,
  ) => { readonly records: object; readonly dropped: unknown[] };
  readonly indexReleases: (records: object) => object;
  readonly resolve: (constraint: object, index: object, eligibility: object) => Resolution;
}

interface Resolution {
  readonly release: { readonly version: { readonly text: string } };
  readonly refused: () => Iterable<{ readonly reason: string }>;
}

const START = {
  kind: 'started',
  sequence: 1,
  after: 0,
  at: NOW,
  salt: 's1',
  percent: 0,
  share: 0,
  first: ['canary', 'lab'],
} as const;
const NEXT = {
  kind: 'raised',
  sequence: 2,
  after: 1,
  at: NOW,
  percent: 0,
  share: 0,
  groups: 2,
} as const;
const RAISED = { kind: 'raised', sequence: 3, after: 2, at: NOW, percent: 20, share: 0.2 } as const;

/** The version that 0.2.0 selects on the machine `rover-7`, whose cohort is 0.12, and why it refuses the others. */
async function selectedBy(more: object): Promise<readonly unknown[]> {
  const { parseConstraint, parseModuleId, releaseEntries, lazyList, ...old } = await reader;
  const releases = [{ version: '1.2.9' }, { version: '1.3.0', ...more }];
  const document = { module_id: 'acme:lidar', generation: 3, count: 2, releases };
  // As a registry sends it.
  const sent: object = JSON.parse(JSON.stringify(document));
  const entries = releaseEntries(sent, parseModuleId('acme:lidar').value);
  const { records, dropped } = lazyList(entries, {});
  const index = old.indexReleases(records);
  const eligibility = { now: NOW, rollouts: { machineId: 'rover-7', group: 'canary' } };
  const resolution = old.resolve(parseConstraint('1.*').value, index, eligibility);
  const reasons = Array.from(resolution.refused(), ({ reason }) => reason);
  return [resolution.release.version.text, reasons, dropped];
}

it.each([
  ['its first group', [START], '1.2.9', 'not-in-rollout'],
  ['its second group', [START, NEXT], '1.2.9', 'not-in-rollout'],
  ['20 %', [START, NEXT, RAISED], '1.3.0', 'older'],
])(
  '[T403] 0.2.0 reads the list of a rollout at %s, and selects %s',
  async (_at, events, version, reason) => {
    const rollout = rolloutAfter(events);
    expect(await selectedBy(rollout ? { rollout: listedRollout(rollout) } : {})).toEqual([
      version,
      [reason],
      [],
    ]);
  },
);

it('[D132] 0.2.0 reads a list with signatures, and ignores them', async () => {
  const signatures = { [AUTHOR.id]: AUTHOR.sign('text') };
  expect(await selectedBy({ signatures })).toEqual(['1.3.0', ['older'], []]);
});
