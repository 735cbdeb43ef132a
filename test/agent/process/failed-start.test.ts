import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { launch } from '../../../src/agent/process/launch.ts';
import { runOnce } from '../../../src/agent/process/run-once.ts';
import { fakeStart } from '../support/fake-start.ts';
import { temporaryFolder } from '../../support/folder.ts';

const LONG = 'x'.repeat(131_072);
const MANY: string[] = Array.from({ length: 40 }, () => 'x'.repeat(131_000));

describe('[T271] a program that the system does not start', () => {
  it.each([
    [
      'one argument is too long',
      { arguments: ['-c', LONG] },
      'its argument 2 has 131072 bytes, expected at most 131071',
    ],
    [
      'all of them are',
      { arguments: MANY },
      'its variables and arguments have 5240387 bytes in all, expected at most 2097152',
    ],
    [
      'one cannot be passed',
      { arguments: ['\0'] },
      'the system does not start it (ERR_INVALID_ARG_VALUE)',
    ],
    [
      'its folder is gone',
      { folder: '/nonexistent' },
      'its folder /nonexistent is not there (ENOENT)',
    ],
  ])('because %s leaves nothing, and is no fault of the release', async (_, more, reason) => {
    const cgroups = temporaryFolder();
    const { start } = fakeStart([], { path: '/bin/echo', ...more, cgroups });
    const error = { blame: 'machine', reason };
    expect(await launch(start)).toEqual({ ok: false, error });
    expect(readdirSync(cgroups)).toEqual([]);
  });

  it('fails a first run in the same way', async () => {
    const { start } = fakeStart([], { path: '/bin/echo', arguments: ['\0'] });
    const reason = 'it cannot be started: the system does not start it (ERR_INVALID_ARG_VALUE)';
    const never = new AbortController().signal;
    expect(await runOnce(start, { limitMs: 20_000, signal: never })).toEqual({
      ok: false,
      error: { blame: 'machine', reason },
    });
  });
});
