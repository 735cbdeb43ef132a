import { connect } from '@nats-io/transport-node';
import { expect, it, onTestFinished } from 'vitest';
import { shareReports } from '../../../src/cluster/shared-reports.ts';
import { REPORT_SETTINGS, reportStream } from '../../../src/cluster/nats/report-stream.ts';
import { streamFacts } from '../../../src/cluster/nats/stream-facts.ts';
import { systemClock } from '../../../src/registries/index.ts';
import type { MachineReport } from '../../../src/registry/machine-report.ts';
import { FleetFile } from '../../../src/server/fleet/fleet-file.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { machineReport, reportedState } from '../../support/machine-report.ts';
import { clusterInTest } from './in-test.ts';
import type { Cluster } from './nodes.ts';

/** A front's file, whose reports are those of the cluster. */
async function frontOf(
  cluster: Cluster,
  path = `${temporaryFolder()}/fleet.db`,
): Promise<FleetFile> {
  const connection = await connect({
    servers: cluster.servers.split(','),
    maxReconnectAttempts: -1,
    reconnectTimeWait: 50,
  });
  const fleet = new FleetFile(path, () => Date.now());
  const sharing = shareReports(fleet, await reportStream(connection, 3), {
    clock: systemClock,
    onEvent: () => undefined,
  });
  onTestFinished(async () => {
    await sharing.stop();
    await connection.close();
    fleet.close();
  });
  return fleet;
}

/** All that a front knows of outcomes and machines. */
function known(fleet: FleetFile): unknown {
  return fleet.read((sql) => ({
    machines: sql.all(
      'SELECT name, queue, known_to, missing, state_number, instance, seen_at, duplicate_at FROM machines ORDER BY name',
    ),
    outcomes: sql.all('SELECT machine, queue, number, received_at FROM outcomes'),
    states: sql.all('SELECT module_id, deployed, machines FROM states ORDER BY id'),
  }));
}

async function expectSame(...fronts: readonly FleetFile[]): Promise<void> {
  const differing = (): number => new Set(fronts.map((one) => JSON.stringify(known(one)))).size;
  await expect.poll(differing).toBe(1);
}

function by(instance: string): MachineReport {
  return machineReport([1], { instance });
}

function counted(fleet: FleetFile): unknown {
  return fleet.read((sql) => sql.get(COUNTS));
}

const COUNTS = 'SELECT count(duplicate_at) AS duplicates, sum(missing) AS missing FROM machines';

it('[T193] a report to any front is known to all, and an outcome counts once, whichever fronts it was sent to', async () => {
  const cluster = await clusterInTest();
  const [a, b, c] = [await frontOf(cluster), await frontOf(cluster), await frontOf(cluster)];
  const first = machineReport([1, 2, 3], { state: reportedState(1, {}) });
  expect(await a.report('rover-1', first)).toEqual({ kind: 'known', knownTo: 3 });
  // Its response was lost, so the machine sends it again, to two fronts.
  expect(await Promise.all([b.report('rover-1', first), c.report('rover-1', first)])).toEqual([
    { kind: 'known', knownTo: 3 },
    { kind: 'known', knownTo: 3 },
  ]);
  expect(await c.report('rover-1', machineReport([4, 5]))).toEqual({ kind: 'known', knownTo: 5 });
  await expectSame(a, b, c);
  expect(a.read((sql) => sql.all('SELECT number FROM outcomes ORDER BY number'))).toEqual(
    [1, 2, 3, 4, 5].map((number) => ({ number })),
  );
});

it('[T194] a front refuses a report after which outcomes are missing, and says from where to send', async () => {
  const cluster = await clusterInTest();
  const [a, b] = [await frontOf(cluster), await frontOf(cluster)];
  await a.report('rover-1', machineReport([1, 2]));
  await expectSame(a, b);
  expect(await b.report('rover-1', machineReport([5]))).toEqual({ kind: 'gap', knownTo: 2 });
  expect(await b.report('rover-1', machineReport([3, 4, 5]))).toEqual({
    kind: 'known',
    knownTo: 5,
  });
  await expectSame(a, b);
  expect(counted(a)).toEqual({ duplicates: 0, missing: 0 });
});

it('[T195] two machines with one id are found, although each reports to another front', async () => {
  const cluster = await clusterInTest();
  const [a, b] = [await frontOf(cluster), await frontOf(cluster)];
  expect(await a.report('rover-1', by('process-A'))).toEqual({ kind: 'known', knownTo: 1 });
  expect(await b.report('rover-1', by('process-B'))).toEqual({ kind: 'known', knownTo: 1 });
  expect(await a.report('rover-1', by('process-A'))).toEqual({ kind: 'duplicate' });
  await expectSame(a, b);
  expect(counted(b)).toEqual({ duplicates: 1, missing: 0 });
});

it('[T196] a front that begins again goes on where it was, and one with a new file has what the stream has', async () => {
  const cluster = await clusterInTest();
  const path = `${temporaryFolder()}/fleet.db`;
  const a = await frontOf(cluster);
  const first = await frontOf(cluster, path);
  await a.report('rover-1', machineReport([1], { state: reportedState(1, {}) }));
  await expectSame(a, first);
  const copy = await frontOf(cluster, path);
  expect(await a.report('rover-1', machineReport([2]))).toEqual({ kind: 'known', knownTo: 2 });
  const later = await frontOf(cluster);
  await expectSame(a, copy, later);
});

it('[T197] a stream that was lost begins again, and fronts keep what they know', async () => {
  const cluster = await clusterInTest();
  const [a, b] = [await frontOf(cluster), await frontOf(cluster)];
  await a.report('rover-1', machineReport([1, 2, 3], { state: reportedState(1, {}) }));
  await expectSame(a, b);
  const connection = await connect({ servers: cluster.servers.split(',') });
  onTestFinished(async () => await connection.close());
  const { jetstreamManager } = await import('@nats-io/jetstream');
  await (await jetstreamManager(connection)).streams.delete('REPORTS');
  const next = async (): Promise<unknown> =>
    await b.report('rover-1', machineReport([4])).catch(() => undefined);
  await expect.poll(next).toEqual({ kind: 'known', knownTo: 4 });
  await expectSame(a, b);
});

it('[T197] a stream with a description of its operator takes reports', async () => {
  const cluster = await clusterInTest();
  const connection = await connect({ servers: cluster.servers.split(',') });
  onTestFinished(async () => await connection.close());
  const { jetstreamManager } = await import('@nats-io/jetstream');
  const { streams } = await jetstreamManager(connection);
  await streams.add({ ...REPORT_SETTINGS, num_replicas: 3, description: 'of the site in Bern' });
  const front = await frontOf(cluster);
  const sent = async (): Promise<unknown> => await front.report('rover-1', machineReport([1]));
  expect(await sent()).toEqual({ kind: 'known', knownTo: 1 });
});

it('[T253] the stream of reports has a largest size: the oldest make room, and no report is refused', async () => {
  const cluster = await clusterInTest();
  const front = await frontOf(cluster);
  await front.report('rover-1', machineReport([1]));
  const connection = await connect({ servers: cluster.servers.split(',') });
  onTestFinished(async () => await connection.close());
  const { jetstreamManager } = await import('@nats-io/jetstream');
  const { streams } = await jetstreamManager(connection);
  const { config } = await streams.info('REPORTS');
  expect(config.max_bytes).toBe(1024 ** 3);
  // Filling that would take minutes.
  await streams.update('REPORTS', { ...config, max_bytes: 2000 });
  for (let number = 2; number <= 20; number += 1) {
    const sent = await front.report('rover-1', machineReport([number]));
    expect(sent).toEqual({ kind: 'known', knownTo: number });
  }
  const { state } = await streams.info('REPORTS');
  expect(state.bytes).toBeLessThanOrEqual(2000);
});

it('[T248] fronts pass over a message that is no batch, and fleet check names it', async () => {
  const cluster = await clusterInTest();
  const [a, b] = [await frontOf(cluster), await frontOf(cluster)];
  await a.report('rover-1', machineReport([1]));
  const connection = await connect({ servers: cluster.servers.split(',') });
  onTestFinished(async () => await connection.close());
  const { jetstream } = await import('@nats-io/jetstream');
  await jetstream(connection).publish('modreg.reports', 'no batch');
  expect(await b.report('rover-1', machineReport([2]))).toEqual({ kind: 'known', knownTo: 2 });
  await expectSame(a, b);
  const place = { servers: cluster.servers.split(','), credentials: undefined };
  const noted = async (): Promise<unknown> =>
    [await streamFacts(place)].flat().map((one) => Object(one).passedOver);
  await expect
    .poll(noted)
    .toContain(
      'messages of which something was passed over in 7 days: 1; the last is message 2: it is not a batch of reports',
    );
});

it('[T198] reports wait while a majority of the nodes is down, and each is counted once afterwards', async () => {
  const cluster = await clusterInTest();
  const [a, b] = [await frontOf(cluster), await frontOf(cluster)];
  await a.report('rover-1', machineReport([1]));
  const [first, second] = cluster.nodes;
  await Promise.all([first?.kill(), second?.kill()]);
  const waiting = a.report('rover-1', machineReport([2]));
  const refused = await waiting.catch((error: unknown) => (error as Error).name);
  expect(refused).toBe('ChangeUnavailable');
  first?.start();
  second?.start();
  await cluster.ready();
  const again = async (): Promise<unknown> =>
    await b.report('rover-1', machineReport([2])).catch(() => undefined);
  await expect.poll(again).toEqual({ kind: 'known', knownTo: 2 });
  await expectSame(a, b);
  expect(b.read((sql) => sql.get('SELECT count(*) AS count FROM outcomes'))).toEqual({ count: 2 });
});
