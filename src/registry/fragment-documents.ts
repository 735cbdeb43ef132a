import * as v from 'valibot';
import { HIGHEST_REVISION } from '../core/trust/served-config.ts';

/*
 * The schemas of what a registry takes and answers about fragments, which documents of machines share. Their types, their readers and the
 * OpenAPI document are derived from them.
 */

const LONGEST_REASON = 200;

const text = v.string('expected text');
const number = v.pipe(
  v.number('expected a whole number from 0'),
  v.safeInteger('expected a whole number from 0'),
  v.minValue(0, 'expected a whole number from 0'),
  v.maxValue(HIGHEST_REVISION, `expected at most ${HIGHEST_REVISION}`),
);

/** A revision that a person saves, or asks about. */
export const newFragment = v.strictObject(
  {
    based_on: number,
    content: text,
    reason: v.pipe(
      text,
      v.minLength(1, 'expected 1 to 200 characters'),
      v.maxLength(LONGEST_REASON, 'expected 1 to 200 characters'),
      v.regex(/^$|\S/, 'expected more than spaces'),
    ),
    dry_run: v.optional(v.boolean('expected true or false'), false),
  },
  'expected an object with based_on, content, reason and dry_run',
);

const saved = { name: text, revision: number, at: text, by: text, reason: text };

/** What a person reads: the newest revision, and the machines whose documents use it. */
export const shownFragment = v.object({ ...saved, content: text, machines: v.array(text) });
export type ShownFragment = Readonly<v.InferOutput<typeof shownFragment>>;

/** All fragments, in the order of their names. */
export const fragmentList = v.object({
  fragments: v.array(v.object({ ...saved, machines: number })),
});
export type FragmentList = Readonly<v.InferOutput<typeof fragmentList>>;

/** What saving a fragment does: `machines` has each that gets other documents, with what changes, and the revision that it gets. */
export const savedFragment = v.object({
  name: text,
  revision: number,
  result: v.picklist(['saved', 'unchanged', 'would-save']),
  machines: v.array(
    v.object({ machine: text, from: number, to: v.nullable(number), changes: v.array(text) }),
  ),
  unaffected: number,
});
export type SavedFragment = Readonly<v.InferOutput<typeof savedFragment>>;

/** By their names in the OpenAPI document. */
export const FRAGMENT_DOCUMENTS = {
  NewFragment: newFragment,
  ShownFragment: shownFragment,
  FragmentList: fragmentList,
  SavedFragment: savedFragment,
};
