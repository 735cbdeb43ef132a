import type { Presentation } from './presentation.ts';

/** A narrower width is not used: no word would fit. */
const NARROWEST = 20;

/**
 * The width that lines on `stream` are wrapped to: that of COLUMNS, even in a file or a pipe, else that of the terminal.
 * Undefined for no limit, as for JSON.
 */
export function columnsOf(
  { isTTY, columns }: Pick<NodeJS.WriteStream, 'isTTY' | 'columns'>,
  { isJson }: Presentation,
  { env }: Pick<NodeJS.Process, 'env'>,
): number | undefined {
  const named = Number(env['COLUMNS']);
  const found = Number.isInteger(named) && named > 0 ? named : columns;
  const isLimited = found === named || isTTY;
  return !isJson && isLimited && found >= NARROWEST ? found : undefined;
}

/** Whether to colour what is written to `stream`. */
export function isColoured(
  stream: Pick<NodeJS.WriteStream, 'isTTY'>,
  { colour }: Presentation,
  { env }: Pick<NodeJS.Process, 'env'>,
): boolean {
  if (colour !== 'auto') return colour === 'always';
  return stream.isTTY && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
}
