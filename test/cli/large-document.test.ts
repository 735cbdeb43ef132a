import { spawnSync } from 'node:child_process';
import { truncateSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { inProcess } from '../support/in-process.ts';
import { LONGEST_MS, modreg, ROOT } from '../support/modreg.ts';

/** The exit code, the answer, and the peak memory of the process in KiB. */
function measured(file: string): { stdout: string; exit: number | null; memory: number } {
  const { stdout, stderr, status } = spawnSync(`${ROOT}bin/modreg`, ['check', file], {
    encoding: 'utf8',
    env: {
      PATH: process.env['PATH'],
      NODE_OPTIONS: `--import=${ROOT}test/cli/support/print-memory.ts`,
    },
    timeout: LONGEST_MS,
  });
  return { stdout, exit: status, memory: Number(/memory: (\d+)/.exec(stderr)?.[1]) };
}

describe('[T6] a document that is too large', () => {
  it('is refused with at most 32 MB more memory than a small one', () => {
    const folder = temporaryFolder({
      'small.json': '{}',
      'long.json': '',
      'deep.json': '['.repeat(1_000_000),
      'deep-objects.json': '{"a":'.repeat(1_000_000),
    });
    truncateSync(`${folder}/long.json`, 100_000_000);
    const idle = measured(`${folder}/small.json`);
    const refused = [
      ['long.json', '1:1', 'larger than the limit of 4194304 bytes'],
      ['deep.json', '1:65', 'nested more than 64 levels deep'],
      ['deep-objects.json', '1:1', 'larger than the limit of 4194304 bytes'],
    ] as const;
    for (const [name, place, message] of refused) {
      const { stdout, exit, memory } = measured(`${folder}/${name}`);
      expect([exit, stdout]).toEqual([
        1,
        `${folder}/${name}:${place}  error[TOO_LARGE]  ${message}\n1 error; 0 modules read\n`,
      ]);
      expect(memory - idle.memory).toBeLessThan(32 * 1024);
    }
  });

  it('is not read to its end: /dev/zero has none', () => {
    expect(modreg(['check', '/dev/zero'])).toEqual({
      stdout:
        '/dev/zero:1:1  error[TOO_LARGE]  larger than the limit of 4194304 bytes\n1 error; 0 modules read\n',
      stderr: '',
      exit: 1,
    });
  });

  it('of maintenance windows that never open is checked before the time-out', () => {
    const windows = Array.from({ length: 10_000 }, (_, at) => ({
      start: `${at % 60} 2 31 2 *`,
      duration: '1h',
      time_zone: `Europe/Nowhere${at}`,
    }));
    const file = `${temporaryFolder({ 'p.json': JSON.stringify({ maintenance: windows }) })}/p.json`;
    expect(modreg(['check', file]).stdout).toMatch(/\n20000 errors; read as an update policy\n$/);
  });

  it('is refused for too many values', async () => {
    const text = `{"components":[${'{},'.repeat(100_000)}{}]}`;
    const file = `${temporaryFolder({ 'm.json': text })}/m.json`;
    expect((await inProcess(['check', file])).stdout).toBe(
      `${file}:1:${15 + 3 * 99_998 + 1}  error[TOO_LARGE]  more than 100000 values\n1 error; 0 modules read\n`,
    );
  });
});
