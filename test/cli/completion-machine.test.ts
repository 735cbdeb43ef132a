import { describe, expect, it } from 'vitest';
import { version } from '../support/ask.ts';
import { moduleNamed } from '../support/claimed.ts';
import { temporaryFolder } from '../support/folder.ts';
import { loopbackRegistry } from '../support/loopback.ts';
import { machineHold } from '../support/machine-hold.ts';
import { contentsOf, homeAfter, logged } from '../support/machine-home.ts';
import { NOW, words } from './support/completed.ts';

describe('what is offered about this machine', () => {
  const LIDAR = moduleNamed('front', 'acme:lidar');

  function home(): string {
    return homeAfter((state) => {
      state.log(
        [logged('front', { moduleId: 'acme:lidar' }), logged('acme_arm'), logged('platform-agent')],
        { at: NOW, trouble: undefined },
      );
      state.report(LIDAR, '2.0.0', NOW);
      const rolledBack = { from: version('2.0.0'), to: version('1.9.0') };
      state.rollBack(LIDAR, rolledBack, { at: NOW, until: undefined });
      state.setHold(machineHold({ from: NOW, ms: 1 }));
      state.setHold({ ...machineHold({ from: NOW, ms: 1 }), of: LIDAR });
    });
  }

  it.each([
    ['why ', 'front acme_arm platform-agent acme:lidar acme:arm platform:agent'],
    ['restart f', 'front'],
    ['rollback acme:', 'acme:lidar acme:arm'],
    ['agent logs --follow acme_', 'acme_arm'],
    ['hold ', 'front acme_arm platform-agent acme:lidar acme:arm platform:agent'],
    ['unhold ', 'front'],
    ['quarantine add ', 'front acme_arm platform-agent acme:lidar acme:arm platform:agent'],
    ['quarantine lift ', 'front acme:lidar'],
    ['quarantine lift front ', '2.0.0'],
    ['quarantine lift acme:lidar ', '2.0.0'],
    ['quarantine lift acme:arm ', ''],
  ])('%j: %s', async (line, expected) => {
    expect(await words(line, { PLATFORM_HOME: home() })).toBe(expected);
  });

  it('writes nothing', async () => {
    const empty = temporaryFolder();
    const { address } = await loopbackRegistry();
    const environment = { PLATFORM_HOME: empty, MODREG_REGISTRY: address };
    for (const line of ['why ', 'resolve ', 'resolve acme:lidar ', 'registry show ', 'add ']) {
      expect(await words(line, environment)).toBe('');
    }
    expect(contentsOf(empty)).toEqual({});
  });

  it('is nothing if machine.db is damaged', async () => {
    const PLATFORM_HOME = temporaryFolder({ 'machine.db': 'damaged', 'registry.db': 'damaged' });
    for (const line of ['why ', 'quarantine lift ', 'registry show ', 'resolve ']) {
      expect(await words(line, { PLATFORM_HOME })).toBe('');
    }
  });
});
