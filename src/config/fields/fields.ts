import * as v from 'valibot';
import { _addIssue as addIssueTo } from 'valibot';
import { excerpt, quote } from '../../core/text/quote.ts';
import { nearestWord } from '../../core/text/nearest-word.ts';
import type { Result } from '../../core/index.ts';
import { badType, badValue, type Fault } from '../fault.ts';

/** A schema that reads a JSON value as `T`. */
export type Schema<T> = v.GenericSchema<unknown, T>;
/** A JSON Schema (draft 7) as a JSON object. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The parts of a valibot issue that are used here. */
interface Issue {
  readonly input: unknown;
  readonly path?: readonly { readonly origin?: string; readonly key?: unknown }[] | undefined;
}

/** One of two schemas, chosen by the values of the fields in `when`. */
export interface Choice {
  readonly when: Readonly<Record<string, string>>;
  readonly matching: v.GenericSchema;
  readonly otherwise: v.GenericSchema;
}

/** Encodes a fault as a valibot message, which can only be text. */
function asMessage(fault: Fault): string {
  return JSON.stringify(fault);
}

/** Decodes a valibot message that `asMessage` encoded. */
export function faultOf(message: string): Fault {
  return JSON.parse(message) as Fault;
}

/** An object with these fields. Unknown fields are ignored. */
export function fields<Entries extends v.ObjectEntries>(
  entries: Entries,
): v.ObjectSchema<Entries, v.ErrorMessage<v.ObjectIssue>> {
  return rejectLists(v.object(entries, (issue: Issue) => asMessage(objectFault(issue))));
}

/** An object with these fields. Unknown fields are kept as they are. */
export function openFields<Entries extends v.ObjectEntries>(
  entries: Entries,
): v.LooseObjectSchema<Entries, v.ErrorMessage<v.LooseObjectIssue>> {
  return rejectLists(v.looseObject(entries, (issue: Issue) => asMessage(objectFault(issue))));
}

export function listOf<T>(item: Schema<T>, expected: string): Schema<T[]> {
  return v.array(item, expecting(expected));
}

/** An object whose keys match `key` and whose values match `value`. */
export function mapOf<T>(key: Schema<string>, value: Schema<T>): Schema<Record<string, T>> {
  const keys = key as v.GenericSchema<string, string>;
  return rejectLists(v.record(keys, value, expecting('an object')));
}

export const anyText: Schema<string> = v.string(expecting('text'));

/** The `$schema` field, which editors read to find the JSON Schema of a document. */
export const editorFields: { readonly $schema: v.OptionalSchema<Schema<string>, undefined> } = {
  $schema: v.optional(anyText),
};

/** An object with any fields. */
export const anyObject: Schema<Readonly<Record<string, unknown>>> = mapOf(
  v.string() as Schema<string>,
  v.unknown(),
);

/** Checks a value with `schema`, and returns it unchanged. */
export function untransformed(schema: v.GenericSchema): Schema<Readonly<Record<string, unknown>>> {
  return {
    ...schema,
    '~run': (dataset, config) => {
      const { value } = dataset;
      const read = schema['~run'](dataset, config);
      return { ...read, value } as v.OutputDataset<
        Readonly<Record<string, unknown>>,
        v.BaseIssue<unknown>
      >;
    },
  } as Schema<Readonly<Record<string, unknown>>>;
}

export function flag(): Schema<boolean> {
  return v.boolean(expecting('true or false'));
}

/** Text that is not empty. */
export function nonEmptyText(expected: string): Schema<string> {
  return v.pipe(
    v.string(expecting(expected)),
    v.nonEmpty(asMessage(badValue(`the text is empty, expected ${expected}`))),
  );
}

export function wholeNumber(from: number, to: number): Schema<number> {
  const expected = `a whole number from ${from} to ${to}`;
  const outOfRange = ({ input }: Issue): string =>
    asMessage({ kind: 'out-of-range', message: `found ${String(input)}, expected ${expected}` });
  return v.pipe(
    v.number(expecting(expected)),
    v.integer(({ input }: Issue) =>
      asMessage(badValue(`found ${String(input)}, expected ${expected}`)),
    ),
    v.minValue(from, outOfRange),
    v.maxValue(to, outOfRange),
  );
}

/** One of these words. */
export function oneOf<const Word extends string>(words: readonly Word[]): Schema<Word> {
  const expected = words.join(' or ');
  return v.picklist(words, ({ input }: Issue) =>
    asMessage(
      typeof input === 'string'
        ? badValue(`${quote(input)} is not ${expected}`, nearestWord(input, words))
        : badType(input, expected),
    ),
  );
}

/** A value parsed by `read`. `jsonSchema` describes it as far as JSON Schema can. */
export function parsed<T>(
  read: (value: unknown) => Result<T, Fault>,
  jsonSchema: JsonSchema,
): Schema<T> {
  return v.pipe(v.unknown(), v.metadata(jsonSchema), reading(read));
}

/**
 * Text parsed by `read`. `jsonSchema` describes it as far as JSON Schema can. `suggest` finds the most similar
 * accepted text; it runs only when the problem is reported, because it may be slow.
 */
export function parsedText<T>(
  expected: string,
  read: (value: string) => Result<T, Fault>,
  jsonSchema: JsonSchema,
  suggest?: Suggest,
): Schema<T> {
  return v.pipe(v.string(expecting(expected)), v.metadata(jsonSchema), reading(read, suggest));
}

/** The most similar accepted text; undefined when none is similar. */
export type Suggest = (text: string) => string | undefined;

/** An action that reads a value which a schema has accepted: valibot's `rawTransform` without its closures, which take a quarter of the time for a large document. */
export function reading<In, Out>(
  read: (value: In) => Result<Out, Fault>,
  suggest?: Suggest,
): v.RawTransformAction<In, Out> {
  const action: v.RawTransformAction<In, Out> & { readonly requirement: Suggest | undefined } = {
    ...v.rawTransform<In, Out>(({ NEVER }) => NEVER),
    // valibot copies `requirement` to every issue.
    requirement: suggest,
    '~run': (dataset, config) => {
      const result = read(dataset.value);
      if (result.ok) return { typed: true, value: result.value };
      const failed: v.UnknownDataset & { issues?: [v.BaseIssue<unknown>] } = {
        value: dataset.value,
      };
      addIssueTo(action, 'value', failed, config, { message: asMessage(result.error) });
      return { ...failed, typed: false } as v.OutputDataset<Out, v.BaseIssue<unknown>>;
    },
  };
  return action;
}

/**
 * Reads an object whose fields match `when` with `matching`, and any other with `otherwise`. An error in the
 * fields of `when` does not hide errors in other fields.
 */
export function choice<A, B>(
  when: Choice['when'],
  shapes: { readonly matching: Schema<A>; readonly otherwise: Schema<B> },
): Schema<A | B> {
  const schema: Schema<A | B> & Choice = {
    ...(v.unknown() as Schema<A | B>),
    when,
    ...shapes,
    '~run': (dataset, config) =>
      shapeOf(schema, dataset.value)['~run'](dataset, config) as v.OutputDataset<
        A | B,
        v.BaseIssue<unknown>
      >,
  };
  return schema;
}

/** Text, or an object: an error is that of the one that the value is meant to be. */
export function textOr<A, B>(text: Schema<A>, object: Schema<B>): Schema<A | B> & Either {
  return {
    // A cast: a union gives `Schema<A | B>` only for schemas whose types are known here. Only its shape is used: `~run` is below.
    ...(v.union([text, object]) as unknown as Schema<A | B>),
    text,
    object,
    '~run': (dataset, config) => {
      const isObject = typeof dataset.value === 'object' && dataset.value !== null;
      return (isObject ? object : text)['~run'](dataset, config);
    },
  };
}

/** A value that is text or an object. */
export interface Either {
  readonly text: v.GenericSchema;
  readonly object: v.GenericSchema;
}

/** The schema that applies to `value`. */
export function shapeOf({ when, matching, otherwise }: Choice, value: unknown): v.GenericSchema {
  for (const key in when) if (fieldOf(value, key) !== when[key]) return otherwise;
  return matching;
}

/** `schema` without accepting lists, which valibot treats as objects. */
function rejectLists<S extends v.GenericSchema>(schema: S): S {
  return {
    ...schema,
    '~run': (dataset, config) => {
      if (!Array.isArray(dataset.value)) return schema['~run'](dataset, config);
      addIssueTo(schema, 'type', dataset, config);
      return dataset;
    },
  };
}

function fieldOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined;
}

function expecting(expected: string): (issue: Issue) => string {
  return ({ input }) => asMessage(badType(input, expected));
}

function objectFault({ input, path }: Issue): Fault {
  const [step] = path ?? [];
  if (step?.origin !== 'key') return badType(input, 'an object');
  return { kind: 'missing', message: `${excerpt(String(step.key))} is required` };
}
