import { describe, expect, it, onTestFinished } from 'vitest';
import { earlierMachines } from '../../src/server/fleet/earlier-machines.ts';
import { FleetFile, fleetPath } from '../../src/server/fleet/fleet-file.ts';
import { moduleId } from '../support/ask.ts';
import { machineReport, reportedState } from '../support/machine-report.ts';
import { testRegistry } from './support/registry.ts';

const LIDAR = moduleId('acme:lidar');
const RELEASES = '/v1/modules/acme/lidar/releases';
const REQUIRING = { requires: { 'platform-server': ['>=1.4'] } };

/** A fleet in which machines report these versions of modreg. */
async function fleetWith(
  path: string,
  versions: Readonly<Record<string, string>>,
): Promise<FleetFile> {
  const fleet = new FleetFile(path, () => Date.parse('2026-11-21T01:02:03Z'));
  onTestFinished(() => fleet.close());
  for (const [machine, modreg] of Object.entries(versions)) {
    const state = { ...reportedState(1, {}), modreg };
    await fleet.report(machine, machineReport([1], { state }));
  }
  return fleet;
}

describe('[T386] machines that ignore what a release requires', () => {
  it.each<[string, Readonly<Record<string, string>>, object | undefined]>([
    ['none reported', {}, undefined],
    ['all know it', { a: '0.3.0', b: '1.0.0', c: '0.3.0-rc.1' }, undefined],
    [
      'some do not',
      { a: '0.3.0', b: '0.2.0', c: '0.2.1', d: '0.2.0' },
      { count: 3, example: 'b', modreg: '0.2.0' },
    ],
    ['one has no version', { a: 'mine' }, { count: 1, example: 'a', modreg: 'mine' }],
  ])('%s', async (_title, versions, expected) => {
    const fleet = await fleetWith(':memory:', versions);
    expect(fleet.read((sql) => earlierMachines(sql, LIDAR, REQUIRING))).toEqual(expected);
    expect(fleet.read((sql) => earlierMachines(sql, LIDAR, {}))).toBeUndefined();
    expect(
      fleet.read((sql) => earlierMachines(sql, moduleId('acme:other'), REQUIRING)),
    ).toBeUndefined();
  });

  it('a retired machine does not count', async () => {
    const fleet = await fleetWith(':memory:', { a: '0.2.0' });
    await fleet.retire({ machine: 'a', by: 'alice' });
    expect(fleet.read((sql) => earlierMachines(sql, LIDAR, REQUIRING))).toBeUndefined();
  });

  it('publishing is refused unless forced, and publishing the same again is not', async () => {
    const registry = testRegistry();
    await fleetWith(fleetPath(registry.path), { a: '0.2.0' });
    const body = { version: '1.3.0', requires: { 'platform-server': '>=1.4', tags: ['rack:b4'] } };
    const refused = await registry.ask('POST', RELEASES, { body });
    expect([refused.status, refused.json]).toEqual([
      409,
      {
        type: 'urn:modreg:earlier-machines',
        title: 'Machines run a modreg that ignores what the release requires',
        status: 409,
        detail:
          'the release has requires, and 1 machine runs a modreg that ignores it: "a" has "0.2.0", expected 0.3.0 or later; nothing was changed',
      },
    ]);
    expect((await registry.ask('POST', `${RELEASES}?force=true`, { body })).status).toBe(201);
    expect((await registry.ask('POST', RELEASES, { body })).status).toBe(200);
    const list = await registry.ask('GET', '/v1/modules/acme/lidar');
    expect(Object(list.json).releases[0].requires).toEqual({
      'platform-server': ['>=1.4'],
      tags: ['rack:b4'],
    });
  });
});

describe('[D86] a release that requires something', () => {
  it.each<[unknown, string]>([
    [{ kernel: '6' }, '/requires: expected platform-server, platform-agent, a module id or tags'],
    [{}, '/requires: expected platform-server, platform-agent, a module id or tags'],
    [
      { 'acme:base': 'latest' },
      '/requires/acme:base: expected a range of npm such as >=1.4.0 <2, or a list of ranges that must all fit',
    ],
    [
      { 'acme:base': 2 },
      '/requires/acme:base: expected a range of npm such as >=1.4.0 <2, or a list of ranges that must all fit',
    ],
    [{ tags: 'rack:b4' }, '/requires/tags: expected a list of tags'],
    [{ tags: ['Rack'] }, '/requires/tags/0: expected a tag such as distro:debian'],
  ])('is not published with %j', async (requires, detail) => {
    const registry = testRegistry();
    const answer = await registry.ask('POST', RELEASES, { body: { version: '1.3.0', requires } });
    expect([answer.status, Object(answer.json).detail]).toEqual([422, detail]);
  });
});
