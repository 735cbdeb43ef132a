/** The whole of both texts: what they share with a space before it, other lines with `-` or `+`. */
export function diffLines(old: readonly string[], now: readonly string[]): string[] {
  const lines: string[] = [];
  let next = 0;
  for (const line of old) {
    const place = now.indexOf(line, next);
    if (place === -1) lines.push(`-${line}`);
    else {
      lines.push(...now.slice(next, place).map((one) => `+${one}`), ` ${line}`);
      next = place + 1;
    }
  }
  return [...lines, ...now.slice(next).map((one) => `+${one}`)];
}
