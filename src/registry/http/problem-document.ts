import { excerpt } from '../../core/text/quote.ts';
import { isJsonObject } from '../formats/json-object.ts';

/** What a registry says is wrong with a request (RFC 9457). All text is escaped. */
export interface ProblemDocument {
  /** The end of a `urn:modreg:` type; undefined for another type. */
  readonly kind: string | undefined;
  readonly detail: string;
  readonly errors: readonly string[];
}

const MOST_ERRORS = 20;

/** The problem in the body of a response; undefined if there is none. */
export function problemIn(text: string): ProblemDocument | undefined {
  const json = parsed(text);
  if (!isJsonObject(json) || typeof json['detail'] !== 'string') return undefined;
  const { type, detail, errors } = json;
  const [, kind] = /^urn:modreg:([a-z-]{1,40})$/.exec(String(type)) ?? [];
  const lines = Array.isArray(errors) ? errors.slice(0, MOST_ERRORS) : [];
  return { kind, detail: excerpt(detail), errors: lines.map((line) => excerpt(String(line))) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
