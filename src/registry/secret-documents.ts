import * as v from 'valibot';

/*
 * The schemas of what a registry takes and answers about the values for `${secret.NAME}`. Their types, their readers and the OpenAPI document
 * are derived from them.
 */

const LONGEST_VALUE = 4096;
const WRONG_VALUE = `expected a value of 1 to ${LONGEST_VALUE} characters, without NUL`;

const text = v.string('expected text');

/** A value that a person types. */
export const newSecret = v.strictObject(
  {
    // Its messages do not quote it.
    value: v.pipe(
      v.string(WRONG_VALUE),
      v.minLength(1, WRONG_VALUE),
      v.maxLength(LONGEST_VALUE, WRONG_VALUE),
      v.check((found) => !found.includes('\0'), WRONG_VALUE),
    ),
  },
  'expected an object with value',
);

/** What a value is for. */
const places = v.array(text);

/** The answer to a value that is set or removed. */
export const savedSecret = v.object({
  machine: text,
  name: text,
  places,
  result: v.picklist(['saved', 'removed']),
});
export type SavedSecret = Readonly<v.InferOutput<typeof savedSecret>>;

/** What a person reads: no values. */
export const secretList = v.object({
  secrets: v.array(v.object({ name: text, has_value: v.boolean(), places })),
});
export type SecretList = Readonly<v.InferOutput<typeof secretList>>;

/** What the machine alone reads, by their names; null for a value that was removed. */
export const secretValues = v.object({
  secrets: v.record(text, v.nullable(v.object({ value: text, places }))),
});
export type SecretValues = Readonly<v.InferOutput<typeof secretValues>>['secrets'];

/** By their names in the OpenAPI document. */
export const SECRET_DOCUMENTS = {
  NewSecret: newSecret,
  SavedSecret: savedSecret,
  SecretList: secretList,
  SecretValues: secretValues,
};
