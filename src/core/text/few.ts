/** The first `most` of `items`, followed by the count of the others: `a`, `b`, `2 more`. */
export function firstFew(items: readonly string[], most: number): string[] {
  const rest = items.length - most;
  return rest > 0 ? [...items.slice(0, most), `${rest} more`] : [...items];
}
