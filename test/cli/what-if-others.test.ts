import { expect, it } from 'vitest';
import type { ReportedModule } from '../../src/registry/machine-report.ts';
import { readRelease } from '../../src/server/index.ts';
import { listOf } from '../../mocks/module-document.ts';
import { plainServer, send } from '../../mocks/plain-server.ts';
import { moduleId } from '../support/ask.ts';
import { printed, type Printed } from '../support/command.ts';
import { loopbackRegistry } from '../support/loopback.ts';
import { machineReport, reportedState } from '../support/machine-report.ts';
import { lidarReport } from '../support/reported-facts.ts';
import { tokenFor } from '../support/token.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');

/** The releases of a registry: what each requires, by module and version. */
type Releases = Readonly<Record<string, Readonly<Record<string, object>>>>;

async function whatIfAmong(
  releases: Releases,
  machines: Readonly<Record<string, readonly Partial<ReportedModule>[]>>,
): Promise<(...args: readonly string[]) => Promise<Printed>> {
  const { address, catalogue } = await loopbackRegistry();
  for (const [id, versions] of Object.entries(releases)) {
    for (const [version, requires] of Object.entries(versions)) {
      const isFree = Object.keys(requires).length === 0;
      const read = readRelease({ version, ...(isFree ? {} : { requires }) });
      if (!read.ok) throw new Error(read.error.join('\n'));
      catalogue.publish(moduleId(id), read.value, NOW - 1000);
    }
  }
  for (const [id, modules] of Object.entries(machines)) {
    const token = tokenFor(catalogue, [`machine:${id}`], id);
    const { status } = await fetch(`${address}/v1/machines/${id}/reports`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(machineReport([1], { state: reportedState(1, ...modules) })),
    });
    expect(status).toBe(200);
  }
  const environment = { MODREG_TOKEN: tokenFor(catalogue, ['fleet:read'], 'reader') };
  return async (...args) =>
    await printed(['fleet', 'what-if', ...args, '--registry', address], {
      environment,
      clock: () => NOW,
    });
}

const LIDAR = lidarReport({}, NOW);
const SERVER = {
  kind: 'subsystem',
  name: 'platform-server',
  module_id: 'platform:server',
} as const;

it('[D122] what-if reads what machines run of what a release requires', async () => {
  const whatIf = await whatIfAmong(
    { 'acme:lidar': { '1.2.9': {}, '1.3.0': { 'platform-server': '>=1.5' } } },
    {
      'rover-1': [LIDAR, { ...SERVER, deployed: '1.4.0' }],
      'rover-2': [LIDAR, { ...SERVER, deployed: '1.9.0' }],
    },
  );
  expect(await whatIf('acme:lidar', '1.3.0')).toEqual({
    stdout: [
      'acme:lidar 1.3.0: 1 of 2 machines would get it',
      '',
      '  WHEN    MACHINES     DEPLOYED   CONSTRAINT   WHAT',
      '  now     1: rover-2   1.2.9      1.*          upgrade, stops lidar0, nav',
      '  never   1: rover-1   1.2.9      1.*          requires platform-server >=1.5, but 1.4.0 is deployed',
    ],
    stderr: [],
    exit: 0,
  });
});

it('[D122] an upgrade that breaks what a running module requires is a warning of what-if', async () => {
  const running = { name: 'arm', module_id: 'acme:arm', deployed: '2.0.0' };
  const whatIf = await whatIfAmong(
    { 'acme:lidar': { '1.2.9': {} }, 'acme:arm': { '2.0.0': { 'acme:lidar': '<1.3' } } },
    { 'rover-1': [LIDAR, running], 'rover-2': [LIDAR] },
  );
  expect(await whatIf('acme:lidar', '1.3.0')).toEqual({
    stdout: [
      'acme:lidar 1.3.0 (not published): 2 of 2 machines would get it',
      '',
      '  WHEN   MACHINES     DEPLOYED   CONSTRAINT   WHAT',
      '  now    1: rover-1   1.2.9      1.*          upgrade, stops lidar0, nav, breaks what acme:arm 2.0.0 requires',
      '  now    1: rover-2   1.2.9      1.*          upgrade, stops lidar0, nav',
    ],
    stderr: [
      'warning[BREAKS_REQUIREMENT]: 1.3.0 does not meet what acme:arm 2.0.0 requires: acme:lidar <1.3; it is kept there all the same, on 1 machine',
    ],
    exit: 0,
  });
  const { stdout } = await whatIf('acme:lidar', '1.3.0', '--json');
  const { groups } = JSON.parse(stdout[0] ?? '') as { groups: { breaks?: unknown }[] };
  expect(groups.map(({ breaks }) => breaks)).toEqual([
    [{ module_id: 'acme:arm', version: '2.0.0', requires: { 'acme:lidar': '<1.3' } }],
    undefined,
  ]);
});

it('[T445] a registry that does not list its modules: what-if says what it does not know', async () => {
  const { address } = await plainServer((response, { url = '' }) => {
    const states = [{ state: { ...LIDAR, platform: 'linux/arm64' }, machines: ['rover-1'] }];
    if (url.includes('/fleet/')) send(response, { module_id: 'acme:lidar', states, next: null });
    else if (url.includes('/lidar')) send(response, listOf(['1.2.9', '1.3.0'], 1));
    else response.writeHead(404).end();
  });
  const args = ['fleet', 'what-if', 'acme:lidar', '1.3.0', '--registry', address];
  const { stdout, stderr, exit } = await printed(args, {
    environment: { MODREG_TOKEN: 'modreg_x' },
    clock: () => NOW,
  });
  expect([stdout.at(-1), stderr, exit]).toEqual([
    '  now    1: rover-1   1.2.9      1.*          upgrade, stops lidar0, nav',
    [
      'it is not known whether other modules require acme:lidar: the registry does not list its modules',
    ],
    0,
  ]);
});
