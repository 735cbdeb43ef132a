import { describe, expect, it } from 'vitest';
import { launch, type ProgramStart } from '../../../src/agent/process/launch.ts';
import { openFilesOf } from '../../../src/agent/process/open-files.ts';
import { fakeStart } from '../support/fake-start.ts';
import { needs } from '../../support/prerequisite.ts';

/** What a script of sh has written once it has ended, in the order of the alphabet. */
async function written(script: string, more: Partial<ProgramStart> = {}): Promise<string[]> {
  const own = { path: '/bin/sh', arguments: ['-c', script], folder: '/', ...more };
  const { start, lines } = fakeStart([], own);
  const result = await launch(start);
  if (!result.ok) throw new Error(result.error.reason);
  await result.value.ended;
  return lines.toSorted();
}

const REOPENS = 'echo one >/dev/stdout; echo two | tee /dev/stderr';
const NOBODY = { uid: 65_534, gid: 65_534, groups: [65_534] };

describe('[T347] a module opens its output by its path', () => {
  it('as the user of the agent', async () => {
    expect(await written(REOPENS)).toEqual(['one', 'stderr: two', 'two']);
  });

  it('as another user', async (context) => {
    needs(context, process.getuid?.() === 0, 'only root can run a program as another user');
    expect(await written(REOPENS, { runAs: NOBODY })).toEqual(['one', 'stderr: two', 'two']);
  });
});

describe('[T347] a module may have as many files open as the agent could at its start', () => {
  it.each([
    [{ MODREG_OPEN_FILES: '512' }, 512],
    [{ MODREG_OPEN_FILES: 'unlimited' }, 'unlimited'],
    [{ MODREG_OPEN_FILES: '$(reboot)' }, undefined],
  ])('%j: %s', (environment, expected) => {
    expect(openFilesOf(environment)).toBe(expected);
  });

  it('as its parent may, if nothing has noted it; undefined if that has ended', () => {
    expect([openFilesOf({}, process.pid), openFilesOf({}, 0)]).toEqual([
      expect.any(Number),
      undefined,
    ]);
  });

  it.each([
    [undefined, 'as this process'],
    [256, '256'],
  ])('with %s: %s', async (openFiles, expected) => {
    const own = await written('ulimit -Sn', { openFiles: undefined });
    const lines = await written('ulimit -Sn', { openFiles });
    expect(lines).toEqual(openFiles === undefined ? own : [expected]);
  });

  it('and can raise it to what the agent may', async () => {
    const [hard] = await written('ulimit -Hn');
    expect(await written('ulimit -Hn', { openFiles: 256 })).toEqual([hard]);
  });
});
