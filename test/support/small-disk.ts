import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync } from 'node:fs';
import { onTestFinished, type TestContext } from 'vitest';
import { needs } from './prerequisite.ts';

/** A new disk of this size at `path` until the end of the test, such as `512k`. Skips the test if this process may not mount one. */
export function smallDisk(context: TestContext, path: string, size: string): void {
  mkdirSync(path, { recursive: true });
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'none', path]);
  needs(context, status === 0, 'this process may not mount a small disk');
  onTestFinished(() => void spawnSync('umount', ['--lazy', path]));
}

/** Lets the file at `path` take all space that its disk has left. */
export function fillDisk(path: string): void {
  for (const size of [16_384, 1]) {
    try {
      for (;;) appendFileSync(path, Buffer.alloc(size));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  }
}
