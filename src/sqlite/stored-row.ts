import * as v from 'valibot';
import { jsonPointer } from '../core/text/json-pointer.ts';
import { excerpt } from '../core/text/quote.ts';
import type { Row } from './statements.ts';
import { damagedValue, storedJson } from './stored-value.ts';

/** A row as its reader takes it: `path` is that of the file. */
type ReadRow<C extends v.ObjectEntries> = (
  row: Row,
  file: { readonly path: string },
) => v.InferOutput<v.ObjectSchema<C, undefined>>;

/**
 * Reads rows of a table that only modreg writes. The result throws a DatabaseError of the kind `damaged`, which names table, row and
 * column, if a value is not as `columns` says. `key` is the column that identifies a row.
 */
export function rowReader<const C extends v.ObjectEntries>(
  table: string,
  columns: C,
  key = 'id',
): ReadRow<C> {
  const schema = v.object(columns);
  return (row, file) => {
    const result = v.safeParse(schema, row);
    if (result.success) return result.output;
    const column = columnOf(result.issues[0]);
    const why = result.issues.filter((issue) => columnOf(issue) === column).map(describeInValue);
    throw damagedValue(file, { table, row: row[key], column }, why.join('; '));
  };
}

function columnOf({ path }: v.BaseIssue<unknown>): string {
  return String(path?.[0]?.key);
}

/** The line for an error in the value of a column: where in its JSON, and what was expected. */
function describeInValue({ path, message }: v.BaseIssue<unknown>): string {
  const pointer = jsonPointer((path ?? []).slice(1).map(({ key }) => String(key)));
  return excerpt(pointer === '' ? message : `${pointer}: ${message}`);
}

const EXPECTED_TEXT = 'expected text';
const EXPECTED_WHOLE = 'expected a whole number';

/** The types of columns. */
export const text: v.GenericSchema<unknown, string> = v.string(EXPECTED_TEXT);
export const textOrNull: v.GenericSchema<unknown, string | null> = v.nullable(text);
export const whole: v.GenericSchema<unknown, number> = v.pipe(
  v.number(EXPECTED_WHOLE),
  v.safeInteger(EXPECTED_WHOLE),
);

/**
 * A column of whole numbers in a SELECT. SQLite has larger ones than JavaScript, which end the whole query; such a number becomes text,
 * so that the reader of the row says where it is.
 */
export function wholeIn(column: string): string {
  const { MIN_SAFE_INTEGER: least, MAX_SAFE_INTEGER: most } = Number;
  return `CASE WHEN ${column} BETWEEN ${least} AND ${most} THEN ${column} ELSE CAST(${column} AS TEXT) END AS ${column}`;
}

/** A column with the text of a JSON object. */
export function jsonObject<T>(content: v.GenericSchema<unknown, T>): v.GenericSchema<unknown, T> {
  return v.pipe(
    v.string(EXPECTED_TEXT),
    v.rawTransform<string, unknown>(({ dataset, addIssue, NEVER }) => {
      const value = storedJson(dataset.value);
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
      const found = value === undefined ? 'it is not JSON' : 'it is not a JSON object';
      addIssue({ message: found });
      return NEVER;
    }),
    content,
  );
}
