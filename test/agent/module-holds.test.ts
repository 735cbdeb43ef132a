import { expect, it } from 'vitest';
import { endOf, ModuleHolds } from '../../src/agent/module-holds.ts';

it.each<[string, readonly string[], boolean, boolean]>([
  ['the only reason', ['platform-server'], true, false],
  ['one of two reasons', ['platform-server', endOf('camera')], false, true],
  ['another reason', [endOf('camera')], false, true],
  ['no reason', [], false, false],
])('a module is released once no reason is left: %s ends', (_, reasons, isReleased, isHeld) => {
  const holds = new ModuleHolds();
  for (const reason of reasons) holds.add('arm', reason);
  expect([holds.end('arm', 'platform-server'), holds.isHeld('arm')]).toEqual([isReleased, isHeld]);
});
