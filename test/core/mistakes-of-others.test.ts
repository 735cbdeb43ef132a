import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { indexReleases, parseConstraint, resolve } from '../../src/core/index.ts';
import { decodeReleaseDocument } from '../support/decoded-list.ts';
import { chosen, moduleId } from '../support/ask.ts';
import { DAY, NOW } from '../support/decides.ts';

interface Mistake {
  readonly mistake: string;
  readonly constraint: string;
  readonly minimum_age_days?: number;
  readonly list?: readonly (string | object)[];
  /** An npm packument, used instead of `list`. */
  readonly packument?: object;
  readonly chosen: string | null;
}

const FILE = new URL('../fixtures/mistakes-of-others.json', import.meta.url);

it.each(JSON.parse(readFileSync(FILE, 'utf8')) as Mistake[])(
  'does not repeat a mistake of other tools: $mistake',
  (row) => {
    const releases = row.list?.map((entry) =>
      typeof entry === 'string' ? { version: entry } : entry,
    );
    const { records } = decodeReleaseDocument(
      row.packument ?? { releases },
      moduleId('acme:lidar'),
    );
    const { minimum_age_days: days } = row;
    const minimumAge =
      days === undefined ? undefined : ({ ms: days * DAY, unknown: 'refuse' } as const);
    const constraint = parseConstraint(row.constraint);
    const answer = constraint.ok
      ? chosen(resolve(constraint.value, indexReleases(records), { now: NOW, minimumAge }))
      : undefined;
    expect(answer ?? null).toBe(row.chosen);
  },
);
