/** The words of a text: the search finds them, and words that begin like them. */
export function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[a-z0-9_]+/g) ?? [];
}
