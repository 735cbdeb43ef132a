import { describe, expect, it } from 'vitest';
import type { MachineMemory, QuarantineEntry } from '../../src/core/plan/machine-memory.ts';
import { Begun } from '../../src/poller/begun.ts';
import { BLANK_MEMORY } from '../support/blank-memory.ts';
import { moduleId } from '../support/ask.ts';
import { day, HOUR, MINUTE, SECOND, targetNamed } from '../support/day.ts';

const document = {
  modules: [{ type: 'registry', name: 'acme_lidar', module_id: 'acme:lidar', version: '1.*' }],
};
const LIDAR = targetNamed('acme_lidar');

const BLANK: MachineMemory = {
  ...BLANK_MEMORY,
  isBlank: false,
  of: () => {
    throw new Error('a quarantine is not of one target');
  },
};

function entryOf(since: number): QuarantineEntry {
  const release = { moduleId: moduleId('acme:lidar'), version: '1.2.4', digest: undefined };
  const term = { since, until: since + 10, rolledBack: undefined };
  return { ...release, ...term, reason: 'no light' };
}

describe('a hold is reported', () => {
  it('once when it begins, with its reasons and its end, and again when the reasons change', async () => {
    const maintenance = [{ start: '0 3 * * *', duration: '1h', time_zone: 'UTC' }];
    const machine = await day({
      machine: document,
      policy: { maintenance },
      deployed: { acme_lidar: '1.2.3' },
      releases: { 'acme:lidar': [{ version: '1.2.3' }, { version: '1.2.4' }] },
    });
    await machine.pass(10 * MINUTE);
    expect(machine.begun()).toEqual([
      '01:02:33 held upgrade of acme_lidar: the maintenance window is closed until 2026-11-21T03:00:00Z',
    ]);
    machine.publish('acme:lidar', '1.3.0');
    await machine.pass(HOUR);
    // The same reason, and another version.
    expect(machine.begun()).toEqual([
      '01:12:33 held upgrade of acme_lidar: the maintenance window is closed until 2026-11-21T03:00:00Z',
    ]);
    machine.story();
    await machine.pass(HOUR);
    // No hold while the consumer has the action, although its delivery counts as a restart.
    expect([machine.story(), machine.begun()]).toEqual([
      [
        '03:00:00 committed acme_lidar 1.2.3 → 1.3.0',
        '03:00:00 delivered acme_lidar 1.2.3 → 1.3.0',
      ],
      [],
    ]);
  });
});

describe('a quarantine is reported', () => {
  it('again when its term begins again, but not while it lasts', () => {
    const reported: string[] = [];
    const begun = new Begun((event) => {
      if ('until' in event) reported.push(`${event.kind} until ${event.until}`);
    });
    const terms = [[], [7], [7], [8], [], [8]];
    for (const since of terms) {
      const quarantine = since.map((at) => entryOf(at));
      begun.quarantineOf({ ...BLANK, quarantine });
    }
    expect(reported).toEqual([
      'quarantined until 17',
      'quarantined until 18',
      'quarantined until 18',
    ]);
  });

  it('when a release failed, and when an operator rolls back; not after a restart of the poller', async () => {
    const machine = await day({
      machine: document,
      policy: { quarantine: '1h' },
      deployed: { acme_lidar: '1.2.3' },
      releases: { 'acme:lidar': [{ version: '1.2.3' }, { version: '1.2.4' }] },
    });
    await machine.pass(MINUTE);
    await machine.deliveries
      .shift()
      ?.failed({ reason: 'no light', running: null, blame: 'release' });
    await machine.pass(SECOND);
    expect(machine.begun()).toEqual([
      '01:03:03 quarantined acme:lidar 1.2.4 until 02:03:03: no light',
    ]);
    await machine.poller.reportFailure(LIDAR, {
      version: '1.2.3',
      reason: 'noise',
      running: '1.2.3',
    });
    await machine.pass(SECOND);
    expect(machine.begun()).toEqual([
      '01:03:04 quarantined acme:lidar 1.2.3 until 02:03:04: noise',
    ]);
    await machine.restart();
    await machine.pass(10 * MINUTE);
    expect(machine.begun()).toEqual([]);
  });
});
