/* How many reports a second one front and the nodes of a cluster take, on one machine: `npm run cluster -- reports`. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectTo } from '../../src/cluster/nats/connection.ts';
import { reportStream } from '../../src/cluster/nats/report-stream.ts';
import { shareReports } from '../../src/cluster/shared-reports.ts';
import { systemClock } from '../../src/registries/index.ts';
import type { MachineReport } from '../../src/registry/machine-report.ts';
import { FleetFile } from '../../src/server/fleet/fleet-file.ts';
import { startCluster } from '../../test/cluster/nodes/nodes.ts';
import { machineReport, reportedState } from '../../test/support/machine-report.ts';

const MACHINES = 20_000;
const AT_ONCE = 1000;
const MODULES = 8;

const folder = mkdtempSync(join(tmpdir(), 'modreg-rate-'));
const cluster = await startCluster();
const place = { servers: cluster.servers.split(','), credentials: undefined };
const connection = await connectTo(place, 'report-rate');
const fleet = new FleetFile(join(folder, 'fleet.db'), () => Date.now());
const sharing = shareReports(fleet, await reportStream(connection, 3), {
  clock: systemClock,
  onEvent: () => undefined,
});
try {
  await measure('a state of 8 modules', 1, (machine) => {
    const modules = Array.from({ length: MODULES }, (_none, module) => ({
      name: `acme_m${module}`,
      module_id: `acme:m${module}`,
      deployed: `1.2.${(machine + module) % 5}`,
    }));
    return machineReport([1], { state: reportedState(1, ...modules) });
  });
  await measure('an outcome', 2, () => machineReport([2]));
} finally {
  await sharing.stop();
  await connection.close();
  fleet.close();
  await cluster.close();
  rmSync(folder, { recursive: true });
}

async function measure(
  what: string,
  number: number,
  reportOf: (machine: number) => MachineReport,
): Promise<void> {
  const reports = Array.from({ length: MACHINES }, (_none, machine) => ({
    ...reportOf(machine),
    queue: `queue-${machine}-of`,
  }));
  let next = 0;
  const cpu = process.cpuUsage();
  const began = performance.now();
  const send = async (): Promise<void> => {
    while (next < MACHINES) {
      const machine = next++;
      const report = reports[machine];
      if (!report) return;
      const answer = await fleet.report(`m${machine}`, report);
      if (answer.kind !== 'known' || answer.knownTo !== number) throw new Error(answer.kind);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, send));
  const seconds = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const perReport = (user + system) / MACHINES;
  console.log(
    `${what}: ${Math.round(MACHINES / seconds)} reports a second; ${Math.round(perReport)} µs of CPU of the front for each; ${JSON.stringify(reports[0]).length} bytes`,
  );
}
