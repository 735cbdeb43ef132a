import type { Problem } from '../base/problem.ts';
import { jsonErrorIn } from '../config/text/json-error.ts';
import { positionIn } from '../config/text/position.ts';
import { decode } from '../config/text/utf8.ts';
import { excerpt } from '../core/text/quote.ts';
import { utf8Text } from './utf8-text.ts';

/** The problem that the file at `path` is not JSON in UTF-8, with the line and the column of its first error. */
export function notJson(path: string, bytes: Uint8Array): Problem {
  const { at, why } = errorIn(bytes);
  return { severity: 'error', kind: 'bad-json', message: `${excerpt(path)}${at}: ${why}` };
}

function errorIn(bytes: Uint8Array): { readonly at: string; readonly why: string } {
  const text = utf8Text(bytes);
  if (text !== undefined) return shown(text, jsonErrorIn(text));
  const decoded = decode(bytes);
  return decoded.ok ? shown('', undefined) : shown(decoded.error.text, decoded.error.finding);
}

function shown(
  text: string,
  error: { readonly message: string; readonly offset: number } | undefined,
): { readonly at: string; readonly why: string } {
  if (!error) return { at: '', why: 'it is not JSON in UTF-8' };
  const { line, column } = positionIn(text, error.offset);
  return { at: `:${line}:${column}`, why: error.message };
}
