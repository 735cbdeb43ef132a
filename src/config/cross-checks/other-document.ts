import type * as v from 'valibot';
import { firstFew } from '../../core/text/few.ts';
import { nearestWord } from '../../core/text/nearest-word.ts';
import type { CheckContext } from '../check-context.ts';
import {
  KIND_NAMES,
  kindOf,
  NEWER_VERSIONS,
  suggestedKind,
  type DocumentKind,
} from '../document-kind.ts';
import type { Finding } from '../fault.ts';
import { fieldsOf, unknownFields } from '../unknown-fields.ts';

const NAMED = 4;

type FieldContext = Pick<CheckContext, 'unknownFields'>;

/** The fields of a document that its format does not have, unless it has no field of the format at all. */
export function fieldFindings(
  kind: DocumentKind,
  schema: v.GenericSchema,
  value: unknown,
  context: FieldContext = {},
): Finding[] {
  const other = isReadWithout(kind, value, context)
    ? undefined
    : otherDocument(kind, schema, value);
  return other ? [other] : unknownFields(schema, value);
}

/** Whether a document is read although it may have no field that is known: each one may be of a later version (D240). */
function isReadWithout(kind: DocumentKind, value: unknown, context: FieldContext): boolean {
  if (kind === 'agent' && Object.hasOwn(Object(value), NEWER_VERSIONS)) return true;
  return (
    context.unknownFields === 'warn' && kind !== 'machine' && suggestedKind(value) === undefined
  );
}

/**
 * The finding that a document has fields, but none of its kind: it is another file, or every name is misspelt. `{}` is
 * fine: it is a document without settings.
 */
function otherDocument(
  kind: DocumentKind,
  schema: v.GenericSchema,
  value: unknown,
): Finding | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const found = Object.keys(value).filter((field) => field !== '$schema');
  const own = fieldsOf(schema).filter((field) => field !== '$schema');
  if (found.length === 0 || found.some((field) => own.includes(field))) return undefined;
  const message = `found no field of ${KIND_NAMES[kind]}, expected ${firstFew(own, NAMED).join(', ')}`;
  const suggest = (): string | undefined =>
    found.flatMap((field) => nearestWord(field, own) ?? [])[0];
  const likely = kindOf(value);
  const isOther = likely !== kind && likely !== 'machine';
  const hint = isOther ? `its fields are those of ${KIND_NAMES[likely]}` : undefined;
  return { kind: 'missing', path: [], message, suggest, hint };
}
