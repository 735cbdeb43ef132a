/** The steps from a JSON document to a value in it. */
export type Path = readonly (string | number)[];

/** `path` as a JSON Pointer (RFC 6901), as it is: not escaped for a message. Empty for the document itself. */
export function jsonPointer(path: Path): string {
  const tokens = path.map((step) => String(step).replaceAll('~', '~0').replaceAll('/', '~1'));
  return tokens.map((token) => `/${token}`).join('');
}
