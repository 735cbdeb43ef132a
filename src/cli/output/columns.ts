/** Returns a function that formats the cells of a row as a line. Each column is as wide as its widest cell. */
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
