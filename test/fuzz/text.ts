import fc from 'fast-check';

/** Text that often causes trouble: control characters, escapes, other alphabets, property names of objects. */
const TROUBLE: readonly string[] = [
  '\0',
  '\n',
  '\r\n',
  '\t',
  ' ',
  '\u00a0',
  '\u200b',
  '\u202e',
  '\u2066',
  '\ufeff',
  '\u0085',
  '\u2028',
  '\ud800',
  '\udc00',
  '\u001b[2J',
  '\u001b]52;c;QQ==\u0007',
  '\u009b31m',
  '\u007f',
  '\u0661',
  '\uff11',
  'é',
  'e\u0301',
  'ß',
  'İ',
  '😀',
  '\u0440',
  '。',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '${environment.HOME}',
  '$&',
  '%00',
  '"',
  "'",
  '`',
  '\\',
  '/',
  '..',
  '%2e',
  '%',
  '=',
  ';',
  ',',
  '(',
  ')',
  '<',
  '>',
  '[',
  ']',
  '{',
  '0',
  '1',
  '9',
  '00',
  '-',
  '+',
  '.',
  ':',
  '*',
  'x',
  'v',
  '_',
  '~',
  '^',
  '@',
  '#',
  '?',
  '|',
  '9007199254740991',
  '9007199254740992',
  '1e999',
  'NaN',
  '-0',
  'null',
  'undefined',
];

/** Replaces `dropped` characters of a text with `put`. Positions are taken modulo its length. */
export interface TextEdit {
  readonly at: number;
  readonly dropped: number;
  readonly put: string;
}

/** Legal texts, and edited ones in which parts are dropped, repeated, or mixed with `tokens` and trouble. */
export function near(
  legal: fc.Arbitrary<string>,
  tokens: readonly string[] = [],
): fc.Arbitrary<string> {
  const edit = textEdits(legal, tokens);
  const edited = fc
    .tuple(legal, fc.array(edit, { minLength: 1, maxLength: 3 }))
    .map(([text, edits]) => edits.reduce(applied, text));
  return fc.oneof(
    { weight: 20, arbitrary: legal },
    { weight: 100, arbitrary: edited },
    { weight: 10, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
    { weight: 1, arbitrary: repeated(fc.constantFrom(...tokens, ...TROUBLE), 20_000) },
  );
}

export function textEdits(
  legal: fc.Arbitrary<string>,
  tokens: readonly string[] = [],
): fc.Arbitrary<TextEdit> {
  const token = fc.constantFrom(...tokens, ...TROUBLE);
  const put = fc.oneof(
    { weight: 8, arbitrary: fc.constant('') },
    { weight: 16, arbitrary: token },
    { weight: 4, arbitrary: fc.string({ unit: 'binary', maxLength: 3 }) },
    { weight: 4, arbitrary: legal },
    { weight: 1, arbitrary: repeated(token, 300) },
  );
  return fc.record({
    at: fc.noBias(fc.nat()),
    dropped: fc.oneof(fc.constant(0), fc.nat({ max: 3 }), fc.nat({ max: 300 })),
    put,
  });
}

function repeated(token: fc.Arbitrary<string>, most: number): fc.Arbitrary<string> {
  return fc.tuple(token, fc.nat({ max: most })).map(([text, times]) => text.repeat(times));
}

export function applied(text: string, { at, dropped, put }: TextEdit): string {
  const place = at % (text.length + 1);
  return text.slice(0, place) + put + text.slice(place + dropped);
}

/** Values that are not strings, of every type. */
export const nonTexts: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, undefined, Number.NaN, -0, 1.2, true, 10n, Symbol('x'), () => ''),
  fc.anything({ maxDepth: 1, withBigInt: true, withNullPrototype: true }),
  fc.constant({ toString: (): string => '1.2.3', length: 5 }),
);

/** `texts`, and occasionally a value that is not a string. */
export function orNonText(texts: fc.Arbitrary<string>): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 30, arbitrary: texts }, { weight: 1, arbitrary: nonTexts });
}
