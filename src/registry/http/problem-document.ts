import { excerpt } from '../../core/text/quote.ts';
import { isJsonObject } from '../formats/json-object.ts';

/** What a registry says is wrong with a request (RFC 9457). All text is escaped. */
export interface ProblemDocument {
  /** The end of a `urn:modreg:` type; undefined for another type. */
  readonly kind: string | undefined;
  readonly detail: string;
  readonly errors: readonly string[];
  /** What another person saved meanwhile, as lines of a difference. */
  readonly changes: readonly string[];
}

const MOST_ERRORS = 20;
/** A registry sends up to 300 lines, and one that says how many more there are. */
const MOST_CHANGES = 301;
const LONGEST_CHANGE = 401;

/** The problem in the body of a response; undefined if there is none. */
export function problemIn(text: string): ProblemDocument | undefined {
  const json = parsed(text);
  if (!isJsonObject(json) || typeof json['detail'] !== 'string') return undefined;
  const { type, detail } = json;
  const [, kind] = /^urn:modreg:([a-z-]{1,40})$/.exec(String(type)) ?? [];
  const errors = linesIn(json['errors'], MOST_ERRORS);
  const changes = linesIn(json['changes'], MOST_CHANGES, LONGEST_CHANGE);
  return { kind, detail: excerpt(detail), errors, changes };
}

function linesIn(lines: unknown, most: number, longest?: number): string[] {
  if (!Array.isArray(lines)) return [];
  return lines.slice(0, most).map((line) => excerpt(String(line), longest));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
