import { describeValue } from './quote.ts';

/** What each kind of text is called in a message. */
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
  /** The input; for what was not text at all, what it was. */
  readonly text: string;
  /** Where reading stopped: a UTF-16 index into `text`, its length when more was expected. */
  readonly position: number;
  /** What the parser accepts at `position`. */
  readonly expected: string;
  /** The nearest legal form; undefined where none is near. */
  readonly suggestion: string | undefined;
  /** One line, escaped, with the input cut at 200 characters. */
  readonly message: string;
}

/** Where and why reading stopped. */
export interface Misfit {
  readonly position: number;
  readonly expected: string;
}

/** The error for `input` as a whole; `verdict` replaces the usual "is not a version". */
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
