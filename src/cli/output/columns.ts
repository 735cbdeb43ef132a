/** What makes a line of a row's cells, with columns as wide as the widest of `heads` and `rows`. */
export function columnsOf(
  heads: readonly string[],
  rows: readonly (readonly string[])[],
): (cells: readonly string[]) => string {
  const widths = heads.map((head, column) =>
    rows.reduce((width, row) => Math.max(width, row[column]?.length ?? 0), head.length),
  );
  return (cells) =>
    `  ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('   ')}`.trimEnd();
}
