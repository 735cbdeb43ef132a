import { diffLines } from '../text/diff-lines.ts';
import { escapeUnprintable } from '../text/quote.ts';
import type { ServedConfig } from './served-config.ts';

type Documents = Pick<ServedConfig, 'config' | 'policy'>;

/** Comparing takes time by the square of the lines. */
const MOST_LINES = 4000;
const CONTEXT = 3;
/** So many lines of a difference are shown. */
const MOST_SHOWN = 300;
/** Of a line, in characters. */
const LONGEST_LINE = 400;
const TOO_LONG = 'the documents are too long to be compared here: modreg fleet config diff does it';

/** What changed between two revisions (D323, D439), with three lines around each change; nothing if they are the same. */
export function documentDiff(from: Documents | undefined, to: Documents): readonly string[] {
  return bounded([
    ...changesOf('machine.json', from?.config ?? '', to.config),
    ...changesOf('policy.json', from?.policy ?? '', to.policy ?? ''),
  ]);
}

/** The same for two contents of a fragment. */
export function fragmentDiff(from: string, to: string): readonly string[] {
  return bounded(changesOf('the fragment', from, to));
}

function bounded(lines: readonly string[], most: number = MOST_SHOWN): readonly string[] {
  const shown = lines
    .slice(0, most)
    .map((line) => (line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line));
  const left = lines.length - shown.length;
  return left === 0 ? shown : [...shown, `… ${left} more lines`];
}

/** So many lines of a document are shown. */
const MOST_WHOLE = 1000;

/** A document itself (D440), as far as a page can show it. */
export function documentLines(text: string): readonly string[] {
  return bounded(linesIn(text), MOST_WHOLE);
}

function changesOf(file: string, before: string, after: string): readonly string[] {
  if (before === after) return [];
  const [old, now] = [linesIn(before), linesIn(after)];
  if (old.length + now.length > MOST_LINES) return [`${file}: ${TOO_LONG}`];
  return [`${file}:`, ...around(diffLines(old, now))];
}

function linesIn(text: string): readonly string[] {
  const lines = text.split('\n').map((line) => escapeUnprintable(line));
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/** The changed lines with their context; `…` for what is left out. */
function around(lines: readonly string[]): readonly string[] {
  const isNear = new Set(
    lines.flatMap((line, place) =>
      line.startsWith(' ')
        ? []
        : Array.from({ length: 2 * CONTEXT + 1 }, (_none, step) => place - CONTEXT + step),
    ),
  );
  return lines.flatMap((line, place) => {
    if (isNear.has(place)) return [line];
    return isNear.has(place - 1) || place === 0 ? ['…'] : [];
  });
}
