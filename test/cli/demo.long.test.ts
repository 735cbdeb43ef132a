import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { masked, openFolder, SHOWN } from './support/demo-lines.ts';
import { runModreg } from '../support/modreg.ts';
import { demoRunning } from '../support/polling.ts';

describe('modreg demo', () => {
  it('--fast shows decisions of a real registry and a real agent, and leaves what it names', async () => {
    const folder = openFolder();
    const demo = demoRunning(folder, ['--fast']);
    const lines = await demo.until('  rm -r ');
    const shown = lines.map((line) => masked(line)).filter((line) => line !== '');
    // What modules do at the same time has no order.
    expect(shown.toSorted()).toEqual(SHOWN.toSorted());
    const name = readdirSync(folder).find((one) => one.startsWith('modreg-demo-')) ?? '';
    const PLATFORM_HOME = join(folder, name, 'home');
    const status = await runModreg(['agent', 'status'], { PLATFORM_HOME });
    expect(status.stdout).toContain('  lidar     1.2.4     not running');
    expect(status.stderr).toBe('no agent is running\n');
  });

  it('--json has an object for each line', async () => {
    const { stdout, stderr, exit } = await runModreg(['demo', '--fast', '--json'], {
      TMPDIR: openFolder(),
    });
    expect([stderr, exit]).toEqual(['', 0]);
    const events = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { schema: string; event?: string });
    const own = events.filter(({ schema }) => schema === 'modreg/demo@1');
    expect(own.filter(({ event }) => event === 'step')).toHaveLength(8);
    expect(own.filter(({ event }) => event === 'command')).toHaveLength(15);
    expect(own.at(-1)).toMatchObject({
      event: 'end',
      next: expect.arrayContaining(['modreg status']) as unknown,
    });
  });
});
