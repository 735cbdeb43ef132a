import * as v from 'valibot';
import { isKeyId } from '../core/trust/key.ts';
import { HIGHEST_REVISION } from '../core/trust/served-config.ts';

/*
 * The schemas of what a registry takes and answers about the documents of machines. Their types, their readers and the OpenAPI document are
 * derived from them.
 */

const LONGEST_REASON = 200;
const LONGEST_DETAIL = 1000;
const MOST_SIGNATURES = 32;

const number = v.pipe(
  v.number('expected a whole number from 0'),
  v.safeInteger('expected a whole number from 0'),
  v.minValue(0, 'expected a whole number from 0'),
  v.maxValue(HIGHEST_REVISION, `expected at most ${HIGHEST_REVISION}`),
);
const text = v.string('expected text');
const signatures = v.pipe(
  v.record(v.pipe(v.string(), v.check(isKeyId, 'expected the id of a key')), text),
  v.check(
    (found) => Object.keys(found).length <= MOST_SIGNATURES,
    `expected at most ${MOST_SIGNATURES} signatures`,
  ),
);

/** A revision that a person saves. */
export const newConfig = v.strictObject(
  {
    based_on: number,
    config: text,
    policy: v.optional(v.nullable(text), null),
    fragments: v.optional(
      v.pipe(
        v.array(text, 'expected a list'),
        v.maxLength(16, 'expected at most 16 fragments'),
        v.check((names) => new Set(names).size === names.length, 'expected each fragment once'),
      ),
      [],
    ),
    reason: v.pipe(
      text,
      v.minLength(1, 'expected 1 to 200 characters'),
      v.maxLength(LONGEST_REASON, 'expected 1 to 200 characters'),
      v.regex(/^$|\S/, 'expected more than spaces'),
    ),
    dry_run: v.optional(v.boolean('expected true or false'), false),
  },
  'expected an object with based_on, config, policy, fragments, reason and dry_run',
);

/** The signatures of operators. */
export const newSignatures = v.strictObject(
  { revision: number, signatures },
  'expected an object with revision and signatures',
);

const refused = v.strictObject(
  {
    revision: number,
    code: v.pipe(text, v.regex(/^[a-z][a-z-]{0,39}$/, 'expected a code')),
    detail: v.pipe(
      text,
      v.maxLength(LONGEST_DETAIL, `expected at most ${LONGEST_DETAIL} characters`),
    ),
  },
  'expected an object with revision, code and detail',
);

/** Which documents of its site a machine does not run, and why. */
export type RefusedDocuments = v.InferOutput<typeof refused>;

/** What a machine says of the documents that it is served. */
export const machineAnswer = v.strictObject(
  { applied: v.nullable(number), refused: v.nullable(refused) },
  'expected an object with applied and refused',
);

/** What a machine reads. */
export const servedConfig = v.object({
  machine: text,
  revision: number,
  config: text,
  policy: v.nullable(text),
  signatures,
});

const saved = { at: text, by: text, reason: text };

/** What a person reads: also who saved it, and what the machine said. */
export const shownConfig = v.object({
  ...servedConfig.entries,
  ...saved,
  // What the machine has of its own, where its documents use fragments.
  own: v.optional(v.object({ config: text, policy: v.nullable(text), fragments: v.array(text) })),
  machine_says: v.nullable(v.object({ ...machineAnswer.entries, at: text })),
});
export type ShownConfig = Readonly<v.InferOutput<typeof shownConfig>>;

/** What was saved for a machine, the newest first. */
export const configHistory = v.object({
  revisions: v.array(v.object({ revision: number, ...saved, signatures: number })),
});
export type ConfigHistory = Readonly<v.InferOutput<typeof configHistory>>;

/** The answer to a revision that is saved or signed. `changes`: of a dry run, what changes on the machine, a line each. */
export const savedConfig = v.object({
  machine: text,
  revision: number,
  result: v.picklist(['saved', 'unchanged', 'signed', 'would-save']),
  changes: v.optional(v.array(text)),
  signatures: v.pipe(
    v.optional(text),
    v.description('Of a dry run: whether operators have to sign it, by what the machine reported'),
  ),
  warnings: v.pipe(
    v.optional(v.array(text)),
    v.description(
      'Such as modules of which this registry has no release; missing if there is none',
    ),
  ),
});
export type ConfigAnswer = Readonly<v.InferOutput<typeof machineAnswer>>;
export type SavedConfig = Readonly<v.InferOutput<typeof savedConfig>>;

/** By their names in the OpenAPI document. */
export const CONFIG_DOCUMENTS = {
  NewConfig: newConfig,
  NewConfigSignatures: newSignatures,
  ConfigAnswer: machineAnswer,
  ServedConfig: servedConfig,
  ShownConfig: shownConfig,
  ConfigHistory: configHistory,
  SavedConfig: savedConfig,
};
