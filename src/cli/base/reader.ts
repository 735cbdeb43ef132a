import { fstatSync } from 'node:fs';

/** In seconds. */
const CHECK_INTERVAL = '0.2';

/**
 * Resolves when the last reader of the pipe at stdout closes it. Node notices that only when it writes again, and offers no
 * `poll` of a file descriptor. `tail` of coreutils 8.28 or later watches its stdout, and ends with SIGPIPE. Never resolves
 * if stdout is no pipe, or without such a `tail`: then the next write finds out.
 */
export async function untilReaderLeaves(process: NodeJS.Process): Promise<void> {
  const { spawn } = await import('node:child_process');
  await new Promise<void>((resolve) => {
    if (!fstatSync(1).isFIFO()) return;
    const options = ['-f', '-s', CHECK_INTERVAL, `--pid=${process.pid}`, '/dev/null'];
    const tail = spawn('tail', options, { stdio: ['ignore', 1, 'ignore'] });
    // Without a `tail` there is no one to ask.
    tail.on('error', () => undefined);
    tail.on('exit', (_, signal) => {
      if (signal === 'SIGPIPE') resolve();
    });
    tail.unref();
    process.once('exit', () => tail.kill());
  });
}
