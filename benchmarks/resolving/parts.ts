import { writeFileSync } from 'node:fs';
import { bytesToAnswer } from './bytes.ts';
import { chartOf } from './chart.ts';
import { coldGeneratedLists, coldRealLists, type ColdRow } from './cold.ts';
import { MACHINE } from '../machine.ts';
import { node, type Line, type Measured } from '../part.ts';
import { range, rounded, short } from '../row.ts';
import { geometricMean } from './slices.ts';
import { refusedTexts, warmLists } from './warm.ts';

/*
 * The parts of `npm run bench` about resolving. Each converts what a benchmark measured to lines for a table, and to rows for
 * docs/benchmarks.md.
 */

/** Also draws the chart. */
export function realLists(): Measured {
  const rows = coldRealLists();
  writeFileSync(new URL('cold.svg', import.meta.url), chartOf(rows, MACHINE));
  const measured =
    'from an unparsed list of strings to one result, for typescript, next and @types/node';
  return cold('Cold, real lists', rows, measured);
}

export function generatedLists(): Measured {
  const measured =
    'the same for generated lists of 1,000 to a million versions, ascending, descending, shuffled and hostile';
  return cold('Cold, generated lists', coldGeneratedLists(), measured);
}

function cold(what: string, rows: readonly ColdRow[], measured: string): Measured {
  const worstFirst = rows.toSorted((a, b) => ratioOf(a) - ratioOf(b));
  const ratios = worstFirst.map(ratioOf);
  const mean = short(geometricMean(ratios));
  const faster = `${range(ratios)} times as fast as semver.maxSatisfying, geometric mean ${mean}`;
  const peer = `\`semver.maxSatisfying\`: ${range(ratios)} times as long, geometric mean ${mean}`;
  const times = rows.map(({ modreg }) => modreg / 1000);
  return {
    headline: `${what}: ${faster}; worst first`,
    details: worstFirst.map(coldLine),
    rows: [{ measured, figure: `${range(times)} ms`, peer }],
  };
}

function ratioOf({ semver, modreg }: ColdRow): number {
  return semver / modreg;
}

function coldLine(row: ColdRow): Line {
  const { list, constraint, releases, chosen, modreg, semver, pickManifest } = row;
  return {
    list,
    constraint,
    releases,
    chosen: chosen === null ? 'none' : chosen.slice(0, 28),
    'modreg µs': rounded(modreg),
    'semver µs': rounded(semver),
    ...(pickManifest === undefined ? {} : { 'npm-pick-manifest µs': rounded(pickManifest) }),
    'semver / modreg': rounded(ratioOf(row)),
  };
}

export function usedIndexes(): Measured {
  const rows = warmLists().toSorted((a, b) => b.fromText - a.fromText);
  const floating = rows.filter(
    ({ releases, constraint }) => releases === 1_000_000 && constraint !== 'X.Y.Z',
  );
  const most = Math.max(...floating.map(({ fromText }) => fromText));
  return {
    headline: `An index of a million releases that was queried before: at most ${short(most)} µs for a floating constraint; all sizes, slowest first`,
    details: rows.map(({ releases, constraint, fromText, parsed }) => ({
      releases,
      constraint,
      'from text µs': rounded(fromText),
      'parsed µs': rounded(parsed),
    })),
    rows: [
      {
        measured:
          'parsing and resolving a floating constraint on an index of a million releases that was queried before',
        figure: `${short(most)} µs or less`,
      },
    ],
  };
}

export function refusals(): Measured {
  const rows = refusedTexts().toSorted((a, b) => b.time - a.time);
  const most = short(rows[0]?.time ?? 0);
  return {
    headline: `Texts that parsers refuse: at most ${most} µs; slowest first`,
    details: rows.map(({ text, time }) => ({ text, µs: rounded(time) })),
    rows: [{ measured: 'refusing a text of a million characters', figure: `${most} µs or less` }],
  };
}

export async function indexMemory(): Promise<Measured> {
  const { stdout } = await node('resolving/memory.ts');
  const line = JSON.parse(stdout) as Line & { readonly bytesAfterSorting: number };
  const figure = `${line.bytesAfterSorting} bytes per release`;
  return {
    headline: `Memory of an index without the version strings: ${figure}`,
    details: [line],
    rows: [{ measured: 'memory of an index, without the version strings', figure }],
  };
}

/** Of a signature in a packed list: its own 64 bytes, and the id of its key. */
const MOST_SIGNATURE_BYTES = 90;

async function listsInMemory(...args: readonly string[]) {
  const { stdout } = await node('resolving/memory-lists.ts', ...args);
  return JSON.parse(stdout) as Line & Readonly<Record<'bytesOfJson' | 'bytesPerRelease', number>>;
}

export async function listMemory(): Promise<Measured> {
  const [line, signed] = [await listsInMemory(), await listsInMemory('signed')];
  const more = signed.bytesPerRelease - line.bytesPerRelease;
  const figure = `${line.bytesPerRelease} bytes per release`;
  const peer = `its JSON: ${line.bytesOfJson} bytes`;
  return {
    headline: `Memory of 1,000 lists of 200 releases that a poller keeps: ${figure}; ${peer}`,
    details: [line, signed],
    rows: [
      {
        measured: 'memory of a list that a poller keeps, two artifacts per release, with its index',
        figure,
        peer,
      },
      {
        measured: 'the same with a signature of each release',
        figure: `${more} bytes more`,
        target: `at most ${MOST_SIGNATURE_BYTES}`,
        isMet: more <= MOST_SIGNATURE_BYTES,
      },
    ],
  };
}

export function bytes(): Measured {
  const rows = bytesToAnswer();
  const ratios = rows.map(({ modreg, jsonParse }) => modreg / jsonParse);
  return {
    headline: `From the bytes of a list of 10,000 releases to one result: ${range(ratios)} times the time of JSON.parse of the same bytes`,
    details: rows.map(({ list, bytes: size, modreg, withWarnings, jsonParse }) => ({
      list,
      bytes: size,
      'modreg ms': rounded(modreg / 1000),
      'with warnings ms': rounded(withWarnings / 1000),
      'JSON.parse ms': rounded(jsonParse / 1000),
      'modreg / JSON.parse': rounded(modreg / jsonParse),
    })),
    rows: rows.map(({ list, modreg, jsonParse }) => ({
      measured: `from the bytes of a list of 10,000 releases to one result, ${list}`,
      figure: `${short(modreg / jsonParse)} times: ${short(modreg / 1000)} ms`,
      peer: `\`JSON.parse\` of the same bytes: ${short(jsonParse / 1000)} ms`,
    })),
  };
}
