/*
 * Loaded before an agent with `node --import`. Kills the agent as soon as it has printed KILL_AFTER, `2 committed` for the
 * second line that begins with `committed`. The agent executes no statement after that.
 */
const [, count = '0', line = ''] = /^(\d+) (.*)$/.exec(process.env['KILL_AFTER'] ?? '') ?? [];
let left = Number(count);
const write = process.stdout.write.bind(process.stdout);

process.stdout.write = (chunk: string | Uint8Array, ...rest: never[]): boolean => {
  const isWritten = write(chunk, ...rest);
  if (String(chunk).startsWith(line)) left -= 1;
  if (left === 0 && count !== '0') process.kill(process.pid, 'SIGKILL');
  return isWritten;
};
