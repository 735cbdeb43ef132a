/** A row of docs/benchmarks.md. A script of a benchmark prints its rows as JSON. */
export interface Row {
  /** Identifies the row in its section, so it does not depend on what was measured. */
  readonly measured: string;
  readonly figure: string;
  /** What was measured of others. */
  readonly peer?: string | undefined;
  readonly target?: string | undefined;
  readonly isMet?: boolean | undefined;
}

/** Prints the rows of a script, which run.ts reads. */
export function printRows(rows: readonly Row[]): void {
  console.log(JSON.stringify(rows));
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.trunc(values.length / 2)] ?? 0;
}

/** With three significant digits. */
export function rounded(value: number): number {
  return Number(value.toPrecision(3));
}

/** The least and the greatest value with two significant digits: `32 to 114`. */
export function range(values: readonly number[]): string {
  const ends = [Math.min(...values), Math.max(...values)].map(short);
  return ends[0] === ends[1] ? `${ends[0]}` : ends.join(' to ');
}

/** With two significant digits, or as a whole number. */
export function short(value: number): string {
  return value >= 10 ? Math.round(value).toLocaleString('en') : `${Number(value.toPrecision(2))}`;
}
