/** The keys and indexes that lead from a JSON document to a value in it. */
export type Path = readonly (string | number)[];

/** `path` as a JSON Pointer (RFC 6901), not escaped for messages. Empty for the document itself. */
export function jsonPointer(path: Path): string {
  const tokens = path.map((step) => String(step).replaceAll('~', '~0').replaceAll('/', '~1'));
  return tokens.map((token) => `/${token}`).join('');
}
