/** The least room for the last column, which is wrapped. */
const LEAST_LAST = 24;

/**
 * Returns a function that formats the cells of a row as lines. Each column is as wide as its widest cell. If the columns
 * before the last one leave no room for it within `width`, a row is its first cell, with a line below it for each other one;
 * `heads` is then no line.
 */
export function columnsOf(
  heads: readonly string[],
  rows: readonly (readonly string[])[],
  width: number | undefined,
): (cells: readonly string[]) => string[] {
  if (width !== undefined && leastWidth(heads, rows) > width) return cardOf(heads);
  const widths = widthsOf(heads, rows);
  return (cells) => [
    `  ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('   ')}`.trimEnd(),
  ];
}

/** The width in which the columns fit side by side. */
export function leastWidth(heads: readonly string[], rows: readonly (readonly string[])[]): number {
  const widths = widthsOf(heads, rows);
  const before = widths.slice(0, -1).reduce((sum, one) => sum + one + 3, 2);
  return before + Math.min(widths.at(-1) ?? 0, LEAST_LAST);
}

function widthsOf(heads: readonly string[], rows: readonly (readonly string[])[]): number[] {
  return heads.map((head, column) =>
    rows.reduce((widest, row) => Math.max(widest, row[column]?.length ?? 0), head.length),
  );
}

/** The cells below each other: `      TARGET      1.2.9`. A further row of the thing above, whose first cells are empty, is only the others (D472). */
function cardOf(heads: readonly string[]): (cells: readonly string[]) => string[] {
  const longest = heads.slice(1).reduce((length, head) => Math.max(length, head.length), 0);
  return (cells) => {
    if (cells === heads) return [];
    const [first = '', ...others] = cells;
    const lines = others.flatMap((cell, place) =>
      cell === '' ? [] : [`      ${(heads[place + 1] ?? '').padEnd(longest)}  ${cell}`],
    );
    return first === '' ? lines : [`  ${first}`, ...lines];
  };
}
