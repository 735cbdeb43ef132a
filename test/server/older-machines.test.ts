import { describe, expect, it, onTestFinished } from 'vitest';
import { ownVersion } from '../../src/cli/version.ts';
import { FleetFile, fleetPath } from '../../src/server/fleet/fleet-file.ts';
import { moduleId } from '../support/ask.ts';
import { machineReport, reportedState } from '../support/machine-report.ts';
import { printed } from '../support/command.ts';
import { testRegistry, type TestRegistry } from './support/registry.ts';

const PATH = '/v1/modules/acme/lidar/releases';
const FLOOR = { version: '1.2.0', floor: true };
const FOUND =
  '1 machine with acme:lidar reported a modreg before 0.3.0, which ignores floor: rover-1 (0.2.0)';

/** A registry to which machines have reported these versions of modreg. */
async function heardFrom(
  machines: Readonly<Record<string, string>>,
  module_id = 'acme:lidar',
): Promise<TestRegistry & { readonly fleet: FleetFile }> {
  const registry = testRegistry();
  const fleet = new FleetFile(fleetPath(registry.path), () => registry.now);
  onTestFinished(() => fleet.close());
  for (const [machine, modreg] of Object.entries(machines)) {
    const state = { ...reportedState(1, { module_id }), modreg };
    await fleet.report(machine, machineReport([1], { state }));
  }
  return Object.assign(registry, { fleet });
}

describe('[D93] a floor is published', () => {
  it.each([
    [{ 'rover-1': '0.2.0' }, 'acme:lidar', FOUND],
    [
      { 'rover-1': '0.2.0', 'rover-2': '0.3.0', 'rover-3': 'unknown' },
      'acme:lidar',
      '2 machines with acme:lidar reported a modreg before 0.3.0, which ignores floor: rover-1 (0.2.0), rover-3 (unknown)',
    ],
    [{ 'rover-1': '0.2.9-rc.1' }, 'acme:lidar', FOUND.replace('0.2.0', '0.2.9-rc.1')],
    [{ 'rover-1': '0.3.0-rc.1', 'rover-2': ownVersion() }, 'acme:lidar', undefined],
    [{ 'rover-1': '0.3.0', 'rover-2': '1.0.0' }, 'acme:lidar', undefined],
    [{ 'rover-1': '0.2.0' }, 'acme:arm', undefined],
    [{}, 'acme:lidar', undefined],
  ])('after reports of %j with %s', async (machines, id, found) => {
    const registry = await heardFrom(machines, id);
    const { status, json } = await registry.ask('POST', PATH, { body: FLOOR });
    const next = '; upgrade them first, or publish with force=true';
    expect([status, Object(json).detail]).toEqual(
      found === undefined ? [201, undefined] : [409, `${found}${next}`],
    );
  });

  it('although they did, if that is forced, and again without effect', async () => {
    const registry = await heardFrom({ 'rover-1': '0.2.0' });
    const words = [
      await registry.ask('POST', `${PATH}?force=yes`, { body: FLOOR }),
      await registry.ask('POST', `${PATH}?force=true`, { body: FLOOR }),
      await registry.ask('POST', PATH, { body: FLOOR }),
    ];
    expect(words.map(({ status }) => status)).toEqual([409, 201, 200]);
    const { json } = await registry.ask('GET', '/v1/modules/acme/lidar');
    expect(Object(json).releases).toMatchObject([FLOOR]);
  });

  it('[T386] or a release that requires something, whose machines ignore that', async () => {
    const registry = await heardFrom({ 'rover-1': '0.2.0' });
    const body = { version: '1.3.0', requires: { 'platform-server': '>=1.4', tags: ['rack:b4'] } };
    const refused = await registry.ask('POST', PATH, { body });
    expect([refused.status, refused.json]).toEqual([
      409,
      {
        type: 'urn:modreg:older-machines',
        title: 'Machines would ignore a field of the release',
        status: 409,
        detail: `${FOUND.replace('floor', 'requires')}; upgrade them first, or publish with force=true`,
      },
    ]);
    expect((await registry.ask('POST', `${PATH}?force=true`, { body })).status).toBe(201);
    const list = await registry.ask('GET', '/v1/modules/acme/lidar');
    expect(Object(list.json).releases[0].requires).toEqual({
      'platform-server': ['>=1.4'],
      tags: ['rack:b4'],
    });
  });

  it('once they are retired', async () => {
    const registry = await heardFrom({ 'rover-1': '0.2.0' });
    await registry.fleet.retire({ machine: 'rover-1', by: 'alice' });
    expect((await registry.ask('POST', PATH, { body: FLOOR })).status).toBe(201);
  });

  it('a release without the field is published whatever they run', async () => {
    const registry = await heardFrom({ 'rover-1': '0.2.0' });
    const body = { version: '1.2.0', floor: false };
    expect((await registry.ask('POST', PATH, { body })).status).toBe(201);
  });
});

describe('[D93] in a file', () => {
  it('a floor is refused, unless it is forced', async () => {
    const { path, catalogue } = await heardFrom({ 'rover-1': '0.2.0' });
    const publish = ['registry', 'publish', 'acme:lidar', '1.2.0', '--floor', '--db', path];
    expect(await printed(publish)).toEqual({
      stdout: [],
      stderr: [
        `error[OLDER_MACHINES]: ${FOUND}; nothing was changed`,
        'hint: upgrade them first, or publish with --force',
      ],
      exit: 1,
    });
    expect(catalogue.isYanked(moduleId('acme:lidar'), '1.2.0')).toBeUndefined();
    expect((await printed([...publish, '--force'])).stdout).toEqual([
      'acme:lidar: 1 published, 0 unchanged',
    ]);
    expect((await printed(publish)).stdout).toEqual(['acme:lidar: 0 published, 1 unchanged']);
    const shown = await printed(['registry', 'show', 'acme:lidar', '--db', path, '--json']);
    expect(JSON.parse(shown.stdout[0] ?? '').releases).toMatchObject([{ floor: true }]);
  });
});
