import { expect, it } from 'vitest';
import { homeAfter, logged } from '../support/machine-home.ts';
import { printed } from '../support/command.ts';

const NOW = Date.parse('2026-11-20T12:00:00Z');
const DAY = 86_400_000;
const CLOSED = { decision: 'hold', reason: 'the maintenance window is closed' } as const;
const NOT_ALLOWED = { decision: 'hold', reason: 'maintenance is not allowed now' } as const;

it.each<[string, readonly number[], object, readonly string[], string]>([
  [
    'longer than a week, also for another reason and a newer release',
    [8, 3],
    { ...NOT_ALLOWED, target: '1.2.0' },
    [
      '',
      'acme_lidar: a replacement has been held for 8 d; modreg why acme_lidar shows its reasons',
    ],
    '2026-11-12T12:00:00Z',
  ],
  ['a week', [7], CLOSED, [], '2026-11-13T12:00:00Z'],
])('modreg status shows what is held for %s', async (_, days, last, lines, since) => {
  const home = homeAfter((state) => {
    for (const [at, ago] of days.entries()) {
      const decision = at === days.length - 1 && at > 0 ? last : CLOSED;
      state.log([logged('acme_lidar', decision)], { at: NOW - ago * DAY, trouble: undefined });
    }
  });
  const world = { environment: { PLATFORM_HOME: home }, clock: () => NOW };
  const { stdout } = await printed(['status'], world);
  expect(stdout.slice(4)).toEqual(lines);
  const { stdout: json } = await printed(['status', '--json'], world);
  expect(JSON.parse(json.join(''))).toMatchObject({ targets: [{ held_since: since }] });
});
