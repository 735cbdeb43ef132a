import { visit } from 'jsonc-parser';
import { DEEPEST } from '../../core/machine/document-limits.ts';
import { describeSyntaxError } from './syntax-error.ts';

/** What was expected in a text, and its UTF-16 offset. */
export interface JsonError {
  readonly message: string;
  readonly offset: number;
}

/** Thrown to end the visit, which jsonc-parser cannot stop otherwise. */
class Stop extends Error {}

/** The first place at which `text` is not JSON, which has no comments; undefined if it is JSON, or nested too deeply to be read before that place. */
export function jsonErrorIn(text: string): JsonError | undefined {
  let found: JsonError | undefined;
  let depth = 0;
  const open = (): void => {
    depth++;
    // The visit calls itself for each level.
    if (depth > DEEPEST) throw new Stop();
  };
  const close = (): void => {
    depth--;
  };
  try {
    visit(
      text,
      {
        onObjectBegin: open,
        onArrayBegin: open,
        onObjectEnd: close,
        onArrayEnd: close,
        onError(code, offset) {
          found = { message: describeSyntaxError(code), offset };
          throw new Stop();
        },
      },
      { disallowComments: true },
    );
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
  }
  return found;
}
