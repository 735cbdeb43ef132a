import { spawnSync } from 'node:child_process';
import { closeSync, constants, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { writeShort } from '../../src/cli/base/output.ts';
import { temporaryFolder } from '../support/folder.ts';

const { O_NONBLOCK, O_RDWR, O_WRONLY } = constants;

function opened(path: string, flags: number | string): number {
  const fd = openSync(path, flags);
  onTestFinished(() => closeSync(fd));
  return fd;
}

/** A pipe that does not wait for its reader. */
function pipe(): string {
  const path = join(temporaryFolder(), 'pipe');
  spawnSync('mkfifo', [path]);
  return path;
}

/** How much is left of `text` once it was written to `fd`. */
function left(fd: number, text: string): number {
  return writeShort(fd, Buffer.from(text)).length;
}

describe('[D431] a short answer', () => {
  it('is in the file at once', () => {
    const path = join(temporaryFolder(), 'answer');
    expect(left(opened(path, 'w'), '1.2.9\n')).toBe(0);
    expect(readFileSync(path, 'utf8')).toBe('1.2.9\n');
  });

  it('is left to the stream if the disk is full', () => {
    expect(left(opened('/dev/full', O_WRONLY), '1.2.9\n')).toBe(6);
  });

  it('is left to the stream if the pipe is full, and not written in part', () => {
    const fd = opened(pipe(), O_RDWR | O_NONBLOCK);
    const results = Array.from({ length: 20 }, () => left(fd, 'n'.repeat(4096)));
    expect(results).toEqual([...Array<number>(16).fill(0), ...Array<number>(4).fill(4096)]);
  });

  it('is left to the stream if the pipe has no reader any more', () => {
    const path = pipe();
    const reader = openSync(path, O_RDWR | O_NONBLOCK);
    const writer = opened(path, O_WRONLY);
    closeSync(reader);
    expect(left(writer, '1.2.9\n')).toBe(6);
  });

  it('is left to the stream if it is long', () => {
    const fd = opened(join(temporaryFolder(), 'answer'), 'w');
    expect([left(fd, 'n'.repeat(4096)), left(fd, 'n'.repeat(4097))]).toEqual([0, 4097]);
  });
});
