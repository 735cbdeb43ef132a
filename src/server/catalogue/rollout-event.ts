import * as v from 'valibot';
import { quote } from '../../core/text/quote.ts';
import type { RolloutEvent } from '../../core/rollout/rollout.ts';
import { isJsonObject } from '../../registry/formats/json-object.ts';
import { DatabaseError } from '../../sqlite/database-error.ts';
import type { Row } from '../../sqlite/statements.ts';
import { describe, shape } from './published-release.ts';

/** An event as it is stored, and how long each step lasts at least from then on, if it says so. */
export interface StoredEvent {
  readonly event: RolloutEvent;
  readonly soakMs: number | undefined;
}

const whole = v.pipe(
  v.number('expected a whole number from 0'),
  v.safeInteger('expected a whole number from 0'),
  v.minValue(0, 'expected a whole number from 0'),
);
const text = v.string('expected text');
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
const failures = v.strictObject(
  { failed: whole, silent: whole },
  shape('failures', 'failed and silent'),
);

const KINDS = ['started', 'raised', 'halted', 'resumed', 'completed', 'retracted'];
/** Of each event. */
const common = { sequence: whole, after: whole, at: v.number('expected a time') };

const stored: v.GenericSchema<unknown, RolloutEvent & { readonly soakMs?: number | undefined }> =
  v.variant(
    'kind',
    [
      eventSchema('started', { salt: text, percent, share }),
      eventSchema('raised', { percent, share }),
      eventSchema('halted', { because: text, failures }),
      eventSchema('resumed', { acknowledged: failures }),
      eventSchema('completed', {}),
      eventSchema('retracted', { because: text }),
    ],
    `expected ${KINDS.join(', ')}`,
  );

function eventSchema<const K extends string, E extends v.ObjectEntries>(kind: K, entries: E) {
  return v.strictObject(
    { kind: v.literal(kind), ...common, soakMs: v.optional(whole), ...entries },
    shape('an event', `${Object.keys(entries).join(', ') || 'no fields'} if it is ${kind}`),
  );
}

/**
 * The event of a row of `rollout_events` in the file at `path`. Throws a DatabaseError if the row is not what modreg writes: without
 * it, a release might be listed as if it were not in rollout (T200).
 */
export function storedEvent(row: Row, path: string): StoredEvent {
  const { sequence, after, at, kind } = row;
  const content = parsed(String(row['content']));
  if (!isJsonObject(content)) throw damagedEvent(row, path, 'its content is not a JSON object');
  const { success, output, issues } = v.safeParse(stored, {
    ...content,
    kind,
    sequence,
    after,
    at,
  });
  if (!success) throw damagedEvent(row, path, issues.map(describe).join('; '));
  const { soakMs, ...event } = output;
  return { event, soakMs };
}

/** The error for a row that cannot be used. */
export function damagedEvent({ sequence }: Row, path: string, why: string): DatabaseError {
  return new DatabaseError(
    'damaged',
    `${quote(path)}: row ${String(sequence)} of rollout_events: ${why}`,
    { file: path },
  );
}

/** Undefined if the text is not JSON. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
