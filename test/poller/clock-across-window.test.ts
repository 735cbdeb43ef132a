import { describe, expect, it } from 'vitest';
import { day, HOUR, MINUTE, type Day } from '../support/day.ts';
import { entry } from '../support/planned.ts';
import { delivered, inHand } from './support/rover.ts';

/** A machine with a release to install and a window of ten minutes. A day begins at 01:02:03. */
async function withWindow(start: string): Promise<Day> {
  return await day({
    machine: { modules: [entry('acme:lidar', '1.2.*')] },
    deployed: { acme_lidar: '1.2.3' },
    releases: { 'acme:lidar': [{ version: '1.2.3' }, { version: '1.2.4' }] },
    policy: { maintenance: [{ start, duration: '10m', time_zone: 'UTC' }] },
  });
}

describe('[T364, D72] a clock that is set during a download', () => {
  it.each<[string, number, string | undefined, string]>([
    ['to after the window', 20 * MINUTE, '2026-11-21T02:00:00Z', '02:00:00'],
    ['to before the window', -30 * MINUTE, '2026-11-21T01:00:00Z', '01:00:00'],
    ['to the window of another hour', HOUR, undefined, ''],
    ['to another time in the window', -MINUTE, undefined, ''],
  ])('%s: what is downloaded by then is begun only in a window', async (...row) => {
    const [, jump, until, again] = row;
    const machine = await withWindow('0 * * * *');
    await machine.pass(MINUTE);
    const delivery = inHand(machine, 'acme_lidar');
    machine.story();
    machine.clock.set(machine.clock.now() + jump);
    const answer = await delivery.mayProceed();
    expect(answer).toMatchObject(
      until === undefined
        ? { mayProceed: true }
        : { mayProceed: false, text: `the maintenance window is closed until ${until}` },
    );
    await machine.pass(HOUR);
    expect(delivered(machine)).toEqual(
      until === undefined ? [] : [`${again} acme_lidar 1.2.3 → 1.2.4`],
    );
  });

  it('across the whole window begins nothing until the next one', async () => {
    const machine = await withWindow('0 2 * * *');
    await machine.pass(30 * MINUTE);
    machine.clock.set(Date.parse('2026-11-21T02:30:00Z'));
    await machine.pass(HOUR);
    expect(delivered(machine)).toEqual([]);
    // The wall clock stays ahead.
    await machine.pass(23 * HOUR);
    expect(delivered(machine)).toEqual(['02:00:00 acme_lidar 1.2.3 → 1.2.4']);
  });
});
