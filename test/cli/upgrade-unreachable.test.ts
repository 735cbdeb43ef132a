import { expect, it } from 'vitest';
import { printed } from '../support/command.ts';
import { HOUR } from '../support/day.ts';
import { settled } from '../support/restarts.ts';
import { upgradeAfterRound } from '../support/upgrades.ts';

const STALE =
  'the registry https://registry.example refused the connection; the saved list was confirmed 1 h ago';

it('[D76] [D445] modreg upgrade says that the registry was not reached, and how old the list is', async () => {
  const machine = await settled();
  machine.registry.break({ kind: 'offline', times: Infinity });
  machine.publish('acme:lidar', '1.2.4');
  await machine.pass(HOUR);
  const { answer } = await upgradeAfterRound(machine, 'acme:lidar');
  expect(answer).toEqual([
    'acme:lidar: up to date',
    '  because  already the newest patch of 1.2',
    `  list     ${STALE}`,
    '  next     2026-11-28T01:02:34Z (in 6 d 22 h): stuck, as the saved list becomes too old',
  ]);
  const json = await upgradeAfterRound(machine, 'acme:lidar', '--json');
  expect(JSON.parse(json.answer.join(''))).toMatchObject({
    unreachable: {
      message: 'the registry https://registry.example refused the connection',
      confirmed_at: '2026-11-21T01:02:33Z',
    },
  });
  const environment = { PLATFORM_HOME: machine.home };
  const { stderr } = await printed(['upgrade', 'acme:lidar', '--now'], {
    environment,
    clock: () => machine.clock.now(),
  });
  expect(stderr).toEqual([
    `error[NOT_RECORDED]: acme:lidar has nothing to upgrade: already the newest patch of 1.2; ${STALE}; nothing was changed`,
  ]);
});
