import { expectArgument, having, OBJECT } from '../text/argument.ts';
import { expectSpelling } from '../text/spelling.ts';
import { formatConstraint, typeOf, type Constraint } from '../version/constraint.ts';
import { excerpt } from '../text/quote.ts';
import type { Refused } from '../releases/refusal.ts';
import { resolve, type Resolution } from '../releases/resolve.ts';
import { compareChecked } from '../version/version-order.ts';
import { describeChosen, describeRefused } from './words.ts';

/** What became of one entry of a list, and why. */
export interface ExplainedRelease {
  readonly version: string;
  readonly isChosen: boolean;
  readonly words: string;
  /** Consecutive rows of one kind may be counted instead of shown. */
  readonly kind: 'chosen' | 'noted' | 'lower' | Refused['reason'];
}

/** The number of rows of a long run that are shown. The rest is counted. */
const SHOWN = 3;
const WIDEST_VERSION = 40;
const RESOLUTION = having('a Resolution of resolve()', 'refused');

/**
 * Explains a resolution: one line for each entry of the list says whether it was selected, and why. Versions come first,
 * newest first, then entries that are not versions. Long runs of one kind are counted unless `all` is true; `more` is
 * appended to the line with the count. Lines are escaped and have neither colour nor indentation.
 *
 * @example
 * ```ts
 * import { explain, indexReleases, resolve } from 'modreg';
 *
 * const index = indexReleases([{ version: '1.9.0' }, { version: '2.0.0-rc.1' }]);
 * for (const line of explain(resolve({ kind: 'latest' }, index), { all: true })) console.log(line);
 * ```
 */
export function explain(
  resolution: Resolution,
  options: { readonly all?: boolean; readonly more?: string } = {},
): string[] {
  expectArgument('explain()', 'resolution', resolution, RESOLUTION);
  expectArgument('explain()', 'options', options, OBJECT);
  expectSpelling('explain()', 'options', options, { all: true, more: true });
  const { all = false, more = '' } = options;
  const rows = explainedReleases(resolution);
  const longest = rows.reduce((length, { version }) => Math.max(length, version.length), 0);
  const width = Math.min(longest, WIDEST_VERSION);
  const lines: string[] = [];
  for (const run of runsOf(rows)) {
    const shown = all || run.length <= SHOWN + 1 ? run : run.slice(0, SHOWN);
    for (const { version, isChosen, words } of shown) {
      lines.push(`${version.padEnd(width)}  ${isChosen ? 'YES' : 'no '}  ${words}`);
    }
    const rest = run.length - shown.length;
    if (rest > 0) lines.push(`… ${rest} more${more}`);
  }
  return lines;
}

/** Each entry of the list of a resolution: versions first, newest first. */
export function explainedReleases(resolution: Resolution): ExplainedRelease[] {
  const { constraint } = resolution.input;
  const chosen = resolution.kind === 'resolved' ? resolution.release : undefined;
  const notes = notesOf(resolution);
  const higher: ExplainedRelease[] = [];
  const lower: ExplainedRelease[] = [];
  const unreadable: ExplainedRelease[] = [];
  for (const refused of resolution.refused()) {
    const words = describeRefused(refused, constraint);
    if (refused.reason === 'not-a-version') {
      unreadable.push({
        version: excerpt(refused.error.text),
        isChosen: false,
        words,
        kind: refused.reason,
      });
      continue;
    }
    const { version } = refused.release;
    const isLower = chosen !== undefined && compareChecked(version, chosen.version) < 0;
    const note = notes.get(version.text);
    const kind = note === undefined ? (isLower ? 'lower' : refused.reason) : 'noted';
    const row = {
      version: version.text,
      isChosen: false,
      words: words + (note ?? ''),
      kind,
    } as const;
    (isLower ? lower : higher).push(row);
  }
  if (resolution.kind === 'resolved' && chosen) {
    const words = describeChosen(resolution);
    higher.push({ version: chosen.version.text, isChosen: true, words, kind: 'chosen' });
  }
  return [...higher, ...lower, ...unreadable];
}

/** The wider constraints that would select a version, by its text: `   ← would be selected by 1.*`. */
function notesOf({ input: { constraint, index, eligibility } }: Resolution): Map<string, string> {
  const choosers = new Map<string, string[]>();
  for (const wider of widerThan(constraint)) {
    const resolution = resolve(wider, index, eligibility);
    if (resolution.kind === 'unsatisfied') continue;
    const { text } = resolution.release.version;
    choosers.set(text, [...(choosers.get(text) ?? []), formatConstraint(wider)]);
  }
  return new Map(
    [...choosers].map(([text, by]) => [text, `   ← would be selected by ${by.join(', ')}`]),
  );
}

function widerThan(constraint: Constraint): Constraint[] {
  const wider = typeOf(constraint).widens(constraint);
  return wider ? [wider, ...widerThan(wider)] : [];
}

/** The rows in runs of one kind. */
export function runsOf(rows: readonly ExplainedRelease[]): ExplainedRelease[][] {
  const runs: ExplainedRelease[][] = [];
  for (const row of rows) {
    const run = runs.at(-1);
    if (run?.[0]?.kind === row.kind) run.push(row);
    else runs.push([row]);
  }
  return runs;
}
