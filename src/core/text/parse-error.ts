import { describeValue } from './quote.ts';

/** The names of the parsed texts in messages. */
const NAMES = {
  'bad-version': 'version',
  'bad-constraint': 'version constraint',
  'bad-module-id': 'module id',
  'bad-platform': 'platform',
  'bad-time': 'time',
} as const;

export type ParseErrorKind = keyof typeof NAMES;

/** Why a text could not be parsed, for the person who wrote it. */
export interface ParseError<Kind extends string> {
  /** Which parser rejected it: `bad-version`, `bad-constraint`, `bad-module-id`, `bad-platform` or `bad-time`. */
  readonly kind: Kind;
  /** The input, or its description if it was not text. */
  readonly text: string;
  /** Where parsing stopped: a UTF-16 index into `text`, or its length if more was expected. */
  readonly position: number;
  /** What the parser accepts at `position`. */
  readonly expected: string;
  /** The nearest accepted text; undefined if none is near. */
  readonly suggestion: string | undefined;
  /** One line, escaped, with the input cut at 200 characters. */
  readonly message: string;
}

/** Where parsing stopped, and what was expected there. */
export interface Misfit {
  readonly position: number;
  readonly expected: string;
}

/** The error for `input`. Its message uses `verdict` instead of "not a version" if there is one. */
export function parseError<Kind extends ParseErrorKind>(
  kind: Kind,
  input: unknown,
  found: Misfit & { readonly suggestion?: string | undefined; readonly verdict?: string },
): ParseError<Kind> {
  return {
    kind,
    text: typeof input === 'string' ? input : describeValue(input),
    position: found.position,
    expected: found.expected,
    suggestion: found.suggestion,
    message: `${describeValue(input)} is ${found.verdict ?? `not a ${NAMES[kind]}`}`,
  };
}
