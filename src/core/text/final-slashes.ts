/** `text` without the slashes at its end. As `/\/+$/` it would take the square of the time for many slashes (T287). */
export function withoutFinalSlashes(text: string): string {
  let end = text.length;
  while (text[end - 1] === '/') end -= 1;
  return text.slice(0, end);
}
