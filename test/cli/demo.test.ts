import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { masked, openFolder, SHOWN } from './support/demo-lines.ts';
import { modreg, ROOT } from '../support/modreg.ts';
import { demoInProcess } from '../support/polling.ts';

describe('modreg demo', () => {
  it('shows each line that the first page of the site has of it', () => {
    const text = readFileSync(join(ROOT, 'tools/site/landing.md'), 'utf8');
    const [, sample = ''] = text.split(/^```.*\n/m);
    const lines = sample.split('\n').map((line) => masked(line));
    const unknown = lines.filter((line) => line !== '' && !SHOWN.includes(line));
    expect(unknown).toEqual([]);
    expect(lines.length).toBeGreaterThan(15);
  });

  it('stops its agent and its modules on Ctrl-C', async () => {
    vi.stubEnv('TMPDIR', openFolder());
    onTestFinished(() => void vi.unstubAllEnvs());
    const demo = demoInProcess(['--fast']);
    await demo.until('gripper: install of 3.0.0: done');
    const { exit, lines } = await demo.end('SIGINT');
    expect([exit, lines.slice(-1).map((line) => masked(line))]).toEqual([
      130,
      ['all modules are stopped'],
    ]);
  });

  it('says where its folder cannot be created', () => {
    expect(modreg(['demo'], { TMPDIR: '/nowhere' })).toEqual({
      stdout: '',
      stderr:
        'error[STATE_WRITE]: the demo cannot write to /nowhere (ENOENT)\nhint: TMPDIR names another folder for temporary files\n',
      exit: 70,
    });
  });
});
