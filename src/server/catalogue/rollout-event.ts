import * as v from 'valibot';
import { isWritable } from '../../core/text/rfc3339.ts';
import { MOST_GROUPS } from '../../core/rollout/group.ts';
import { groupName } from '../../registry/machine-report.ts';
import type { RolloutEvent } from '../../core/rollout/rollout.ts';
import type { DatabaseError } from '../../sqlite/database-error.ts';
import type { Row } from '../../sqlite/statements.ts';
import { jsonObject, rowReader, text, whole } from '../../sqlite/stored-row.ts';
import { damagedValue } from '../../sqlite/stored-value.ts';
import { describe, shape } from './schema-errors.ts';

/*
 * The schema of an event of a rollout, for rows of `rollout_events` and for the stream of a cluster: what is written to the stream must
 * be readable from a row (T302).
 */

const EXPECTED_COUNT = 'expected a whole number from 0';
const count = v.pipe(
  v.number(EXPECTED_COUNT),
  v.safeInteger(EXPECTED_COUNT),
  v.minValue(0, EXPECTED_COUNT),
);
const EXPECTED_TIME = 'expected a time of the years 0 to 9999';
const time = v.pipe(
  v.number(EXPECTED_TIME),
  v.integer(EXPECTED_TIME),
  v.check(isWritable, EXPECTED_TIME),
);
const share = v.pipe(
  v.number('expected a share'),
  v.minValue(0, 'expected a share from 0'),
  v.maxValue(1, 'expected a share up to 1'),
);
const percent = v.pipe(
  v.number('expected a percentage'),
  v.minValue(0, 'expected a percentage from 0'),
  v.maxValue(100, 'expected a percentage up to 100'),
);
const reason = v.string('expected text');
const failures = v.strictObject(
  { failed: count, silent: count },
  shape('failures', 'failed and silent'),
);

/** Absent from a rollout without groups, so that an earlier modreg reads its events. */
const groupsFirst = v.optional(
  v.pipe(
    v.array(groupName, 'expected a list of groups'),
    v.maxLength(MOST_GROUPS, `expected at most ${MOST_GROUPS} groups`),
  ),
);
const groups = v.optional(count);

export const startedEvent = eventSchema('started', {
  salt: reason,
  percent,
  share,
  first: groupsFirst,
});

export const rolloutEvent = v.variant(
  'kind',
  [
    startedEvent,
    eventSchema('raised', { percent, share, groups }),
    eventSchema('halted', { because: reason, failures }),
    eventSchema('resumed', { acknowledged: failures }),
    eventSchema('completed', {}),
    eventSchema('retracted', { because: reason }),
  ],
  'expected started, raised, halted, resumed, completed, retracted',
);

/** How long each step lasts at least from an event on, in milliseconds, if the event says so. */
export const eventSoak = v.optional(count);

/** An event that is not yet written. */
export type NewRolloutEvent = v.InferOutput<typeof rolloutEvent>;

function eventSchema<const K extends RolloutEvent['kind'], E extends v.ObjectEntries>(
  kind: K,
  entries: E,
) {
  return v.strictObject(
    { kind: v.literal(kind), after: count, at: time, ...entries },
    shape('an event', `${Object.keys(entries).join(', ') || 'no fields'} if it is ${kind}`),
  );
}

const readRow = rowReader(
  'rollout_events',
  {
    sequence: whole,
    after: whole,
    at: whole,
    kind: text,
    content: jsonObject(v.looseObject({ soakMs: eventSoak })),
  },
  'sequence',
);

/** An event as it is stored, and how long each step lasts at least from then on, if it says so. */
interface StoredEvent {
  readonly event: RolloutEvent;
  readonly soakMs: number | undefined;
}

/**
 * The event of a row of `rollout_events` in the file at `path`. Throws a DatabaseError if the row is not what modreg writes: without
 * it, a release might be listed as if it were not in rollout (T200).
 */
export function storedEvent(row: Row, path: string): StoredEvent {
  const { sequence, content, ...columns } = readRow(row, { path });
  const { soakMs, ...fields } = content;
  const { success, output, issues } = v.safeParse(rolloutEvent, { ...fields, ...columns });
  if (success) return { event: { ...output, sequence }, soakMs };
  const [first] = issues;
  const name = String(first.path?.[0]?.key);
  if (name in columns) throw damagedEvent(row, path, name, first.message);
  throw damagedEvent(row, path, 'content', issues.map(describe).join('; '));
}

/** The error for a row that cannot be used; `column` is undefined if it is none of its columns alone. */
export function damagedEvent(
  { sequence }: Row,
  path: string,
  column: string | undefined,
  why: string,
): DatabaseError {
  return damagedValue({ path }, { table: 'rollout_events', row: sequence, column }, why);
}
