/** Reports each part on stderr: in one line that is overwritten on a terminal, else in a line of its own when it ends. */
export async function reporting<T>(
  { name, place, of }: { readonly name: string; readonly place: number; readonly of: number },
  work: () => T | Promise<T>,
): Promise<T> {
  const begun = performance.now();
  const what = `part ${place} of ${of}: ${name}`;
  const elapsed = (): string => `${((performance.now() - begun) / 1000).toFixed(1)} s`;
  const { isTTY } = process.stderr;
  if (isTTY) show(`${what} …`);
  const ticking = isTTY ? setInterval(() => show(`${what}, ${elapsed()} …`), 1000) : undefined;
  try {
    return await work();
  } finally {
    clearInterval(ticking);
    if (!isTTY) console.error(`${what}, ${elapsed()}`);
    else if (place === of) show('');
    else show(`${what}, ${elapsed()}`);
  }
}

function show(text: string): void {
  process.stderr.write(`\r\u001B[2K${text}`);
}
