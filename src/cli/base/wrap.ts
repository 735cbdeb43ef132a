/** The narrowest column that text is wrapped in. Below that, lines would have one word each. */
const NARROWEST = 24;
const INDENT = 4;

/**
 * The lines of at most `width` characters that `line` is broken into, at spaces; a longer word stays whole. Further lines
 * begin below the last column of the line that leaves enough room, else a little to the right of where it begins.
 */
export function wrapped(line: string, width: number | undefined): string[] {
  if (width === undefined || line.length <= width) return [line];
  const margin = ' '.repeat(hangOf(line, width));
  const lines: string[] = [];
  let rest = line;
  while (rest.length > width) {
    const begin = lines.length === 0 ? indentOf(line) : margin.length;
    const end = breakOf(rest, begin, width);
    if (end === undefined) break;
    lines.push(rest.slice(0, end).trimEnd());
    rest = margin + rest.slice(end).trimStart();
  }
  return [...lines, rest];
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

function hangOf(line: string, width: number): number {
  const columns = Array.from(
    line.matchAll(/\S {2,}(?=\S)/g),
    ({ 0: gap, index }) => index + gap.length,
  );
  const last = columns.findLast((column) => column <= width - NARROWEST);
  return last ?? indentOf(line) + INDENT;
}

/** Where to break `text`: the last space up to `width`, else the first one after it; undefined if there is none. */
function breakOf(text: string, begin: number, width: number): number | undefined {
  const within = text.lastIndexOf(' ', width);
  const place = within > begin ? within : text.indexOf(' ', Math.max(begin, width));
  return place === -1 ? undefined : place;
}
