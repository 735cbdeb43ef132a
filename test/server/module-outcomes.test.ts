import { expect, it } from 'vitest';
import type { FailingModule } from '../../src/registry/machine-report.ts';
import { machineReport, reportedState } from '../support/machine-report.ts';
import { tokenFor } from '../support/token.ts';
import { testRegistry, type TestRegistry } from './support/registry.ts';

const OUTCOMES = '/v1/fleet/modules/acme/lidar/outcomes';
const FULL: FailingModule = { version: '1.3.0', blame: 'machine', reason: 'full', next_at: null };

async function asked(
  registry: TestRegistry,
  scope: string,
  [method, path, body]: readonly [string, string, unknown?],
): Promise<readonly [number, Record<string, unknown>]> {
  const token = tokenFor(
    registry.catalogue,
    [scope],
    `token-${registry.catalogue.tokens().length}`,
  );
  const headers = { authorization: `Bearer ${token}` };
  const { status, json } = await registry.ask(method, path, { headers, body });
  return [status, Object(json)];
}

it('[D367] a retired machine runs and tries nothing, and its outcomes stay', async () => {
  const registry = testRegistry();
  const report = machineReport([1], { state: reportedState(1, { failing: FULL }) });
  const outcomes = report.outcomes.map((one) => ({ ...one, result: 'failed' }));
  const reports = '/v1/machines/rover-7/reports';
  await asked(registry, 'machine:rover-7', ['POST', reports, { ...report, outcomes }]);
  const kinds = async (): Promise<unknown[]> => {
    const [, answer] = await asked(registry, 'outcomes:acme', ['GET', OUTCOMES]);
    return [answer['outcomes']].flat().map((one) => Object(one).outcome);
  };
  expect(await kinds()).toEqual(['retrying', 'running', 'failed']);
  await asked(registry, 'rollout', ['PUT', '/v1/fleet/machines/rover-7/retired', {}]);
  expect(await kinds()).toEqual(['failed']);
});

it('[D367] at most 200 groups are answered, those of the newest versions', async () => {
  const registry = testRegistry();
  const numbers = Array.from({ length: 203 }, (_, place) => place + 1);
  const report = machineReport(numbers);
  const outcomes = report.outcomes.map((one) => {
    return { ...one, to: `1.${one.number}.0`, result: 'failed' };
  });
  const reports = '/v1/machines/rover-7/reports';
  await asked(registry, 'machine:rover-7', ['POST', reports, { ...report, outcomes }]);
  const [, answer] = await asked(registry, 'fleet:read', ['GET', OUTCOMES]);
  const versions = [answer['outcomes']].flat().map((one) => Object(one).version);
  const shown = [versions.length, versions[0], versions.at(-1), answer['left_out']];
  expect(shown).toEqual([200, '1.203.0', '1.4.0', 3]);
});

it('[D369] the failures of a namespace have none of another one', async () => {
  const registry = testRegistry();
  for (const id of ['acme:lidar', 'acmeother:arm']) {
    const machine = id.replace(':', '-');
    const state = reportedState(1, { module_id: id, failing: FULL });
    const report = machineReport([1], { state });
    const outcomes = report.outcomes.map((one) => ({ ...one, module_id: id, result: 'failed' }));
    const reports = `/v1/machines/${machine}/reports`;
    await asked(registry, `machine:${machine}`, ['POST', reports, { ...report, outcomes }]);
  }
  const path = '/v1/fleet/failures?namespace=acme';
  const [, answer] = await asked(registry, 'outcomes:acme', ['GET', path]);
  const found = [answer['failures']].flat().map((one) => Object(one));
  const shown = found.map((one) => [one.module_id, one.version, one.blame]);
  expect(shown).toEqual([
    ['acme:lidar', '1.2.9', 'release'],
    ['acme:lidar', '1.3.0', 'machine'],
  ]);
});

it.each([
  ['/v1/fleet/modules/a..b/lidar/outcomes', 400, '"a..b:lidar" is not a module id'],
  [`${OUTCOMES}?seconds=7776001`, 400, 'seconds must be a number from 1 to 7776000'],
  ['/v1/fleet/failures?namespace=a:b', 400, 'namespace must be that of a module, such as acme'],
  ['/v1/fleet/failures?module=a..b:lidar', 403, 'fleet:read'],
  ['/v1/fleet/failures?namespace=other&module=acme:lidar', 403, 'outcomes:other'],
  ['/v1/fleet/modules/acme/lidar', 403, 'fleet:read'],
  ['/v1/modules/acme/lidar/releases/1.0.0/rollout', 403, 'rollout:acme'],
])('[D368] the answer to an author who asks for %s is %i', async (path, status, detail) => {
  const registry = testRegistry();
  const [answered, json] = await asked(registry, 'outcomes:acme', ['GET', path]);
  expect([answered, String(json['detail']).split(' scope ').at(-1)]).toEqual([status, detail]);
});

it('[D367] a group of rollbacks to different versions has the time of the last one', async () => {
  const registry = testRegistry();
  for (const to of ['1.2.0', '1.1.0']) {
    registry.now += 60_000;
    const machine = `rover-to-${to}`;
    const report = machineReport([1]);
    const fields = { direction: 'rollback', from: '1.3.0', to };
    const outcomes = report.outcomes.map((one) => ({ ...one, ...fields }));
    const body = { ...report, outcomes };
    const reports = `/v1/machines/${machine}/reports`;
    await asked(registry, `machine:${machine}`, ['POST', reports, body]);
  }
  const [, answer] = await asked(registry, 'outcomes:acme', ['GET', OUTCOMES]);
  const listed = [answer['outcomes']].flat().map((one) => Object(one));
  expect(listed.map((one) => [one.version, one.outcome, one.last_at, one.machines])).toEqual([
    ['1.3.0', 'rolled-back', '2026-11-21T01:04:03Z', 2],
  ]);
});
