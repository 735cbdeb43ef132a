import type * as v from 'valibot';
import { jsonPointer } from '../../core/text/json-pointer.ts';
import { excerpt } from '../../core/text/quote.ts';

/** The message for a missing or unknown field, or for a value that is not an object. */
export function shape(noun: string, fields: string): (issue: v.BaseIssue<unknown>) => string {
  return ({ path, expected }) => {
    if (path && expected === 'never') return `unknown field; ${noun} has ${fields}`;
    return path ? 'required' : `expected an object: ${noun} has ${fields}`;
  };
}

/** The line for an error of valibot. */
export function describe(issue: v.BaseIssue<unknown>): string {
  const keys = issue.path?.map(({ key }) => key as string | number) ?? [];
  return excerpt(`${jsonPointer(keys)}${keys.length === 0 ? '' : ': '}${issue.message}`);
}
