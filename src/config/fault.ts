import type { ParseError } from '../core/index.ts';
import type { Path } from '../core/text/json-pointer.ts';
import type { DocumentErrorKind, DocumentWarningKind } from './document-problem.ts';

/** Why a value is not what its field holds. */
export interface Fault {
  readonly kind: DocumentErrorKind;
  readonly message: string;
  readonly suggestion?: string | undefined;
}

/** Something found at a place of a document. What takes time is made when it is wanted. */
export interface Finding {
  readonly kind: DocumentErrorKind | DocumentWarningKind;
  readonly path: Path;
  /** Which end of the field is meant; the value, unless it is said. */
  readonly end?: 'key' | 'value';
  /** Whether the name of the field is not to be shown: it may be a secret on the wrong side. */
  readonly isNameHidden?: boolean;
  readonly message: string;
  /** Another place that belongs to it, by the same end. */
  readonly also?: Path;
  readonly suggest?: () => string | undefined;
  readonly hint?: string | undefined;
}

export function badType(value: unknown, expected: string): Fault {
  return { kind: 'bad-type', message: `found ${typeName(value)}, expected ${expected}` };
}

export function badValue(message: string, suggestion?: string): Fault {
  return { kind: 'bad-value', message, suggestion };
}

/** What the parsers of the core found, without the caret that a command line would show. */
export function parseFault(
  error: ParseError<'bad-constraint' | 'bad-version' | 'bad-module-id'>,
): Fault {
  const { kind, message, expected, position, suggestion } = error;
  const place = position === 0 ? '' : ` at character ${position + 1}`;
  if (suggestion !== undefined) return { kind, message, suggestion };
  return { kind, message: `${message}: expected ${expected}${place}` };
}

/** What `value` is, and nothing of what it holds: it may be a secret in the wrong place. */
function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return 'text';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
