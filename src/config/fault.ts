import type { ParseError } from '../core/index.ts';
import type { Path } from '../core/text/json-pointer.ts';
import type { DocumentErrorKind, DocumentWarningKind } from './document-problem.ts';

/** Why a field does not accept its value. */
export interface Fault {
  readonly kind: DocumentErrorKind;
  readonly message: string;
  readonly suggestion?: string | undefined;
}

/** An error or warning at a path of a document. Expensive parts are computed on demand. */
export interface Finding {
  readonly kind: DocumentErrorKind | DocumentWarningKind;
  readonly path: Path;
  /** Whether `path` means the field's key or its value; the value by default. */
  readonly end?: 'key' | 'value';
  /** Whether the field's name is hidden, because a secret may have been entered as the key. */
  readonly isNameHidden?: boolean;
  readonly message: string;
  /** Whether what is only a warning in other places is an error here. */
  readonly isRefused?: boolean;
  /** The path of a related place, which uses the same `end`. */
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

/** A core parser's error as a fault, with the position as a number instead of a caret. */
export function parseFault(
  error: ParseError<'bad-constraint' | 'bad-version' | 'bad-module-id'>,
): Fault {
  const { kind, message, expected, position, suggestion } = error;
  const place = position === 0 ? '' : ` at character ${position + 1}`;
  if (suggestion !== undefined) return { kind, message, suggestion };
  return { kind, message: `${message}: expected ${expected}${place}` };
}

/** The JSON type of `value`. Never shows its content, which may be a secret in the wrong field. */
function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return 'text';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
