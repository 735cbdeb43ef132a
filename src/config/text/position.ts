/** A position in a text, as editors count: lines from 1, columns from 1 in UTF-16 units. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** The position of the character at `offset`. Lines end with LF, CR or CRLF. */
export function positionIn(text: string, offset: number): Position {
  const before = text.slice(0, offset);
  const start = Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\r')) + 1;
  const ends = before.match(/\r\n?|\n/g)?.length ?? 0;
  return { line: ends + 1, column: offset - start + 1 };
}
