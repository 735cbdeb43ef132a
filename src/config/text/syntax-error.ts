import { printParseErrorCode, type ParseErrorCode } from 'jsonc-parser';

type ErrorName = Exclude<ReturnType<typeof printParseErrorCode>, '<unknown ParseErrorCode>'>;

/** What was expected where reading stopped. Never quotes the text, which may contain a secret. */
const EXPECTED: Readonly<Record<ErrorName, string>> = {
  InvalidSymbol:
    'not JSON: expected text in double quotes, a number, true, false, null, {…} or […]',
  InvalidNumberFormat: 'expected a number',
  PropertyNameExpected: 'expected a key in double quotes',
  ValueExpected: 'expected a value',
  ColonExpected: 'expected ":"',
  CommaExpected: 'expected ","',
  CloseBraceExpected: 'expected "}"',
  CloseBracketExpected: 'expected "]"',
  EndOfFileExpected: 'expected the end of the document',
  InvalidCommentToken: 'expected no comment',
  UnexpectedEndOfComment: 'the comment has no end',
  UnexpectedEndOfString: 'the text has no closing quotation mark on its line',
  UnexpectedEndOfNumber: 'expected a digit after this part of a number',
  InvalidUnicode: 'the text that begins here lacks four hexadecimal digits after "\\u"',
  InvalidEscapeCharacter:
    'the text that begins here has a backslash that is not followed by one of " \\ / b f n r t u',
  InvalidCharacter:
    'the text that begins here contains a control character, which JSON writes with a backslash, such as \\t',
};

export function describeSyntaxError(code: ParseErrorCode): string {
  const name = printParseErrorCode(code);
  return name === '<unknown ParseErrorCode>' ? 'not JSON' : EXPECTED[name];
}
