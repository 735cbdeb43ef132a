/* The memory of an agent with ten modules, platform-server and a collector that takes its log: `node memory.ts <seconds>`. Prints a row as JSON. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { printRows, rounded } from '../row.ts';
import { SERVER, startAgent } from './machine.ts';
import { nextStart, PROGRAMS, usageOf } from './supervisor.ts';

const [seconds = '120'] = process.argv.slice(2);
const MOST_MB = 75;
const STARTED = [SERVER, ...PROGRAMS];

let taken = 0;
const collector = createServer((request, response) => {
  request.resume().once('end', () => {
    taken += 1;
    response.setHeader('content-type', 'application/json').end('{}');
  });
});
await new Promise<void>((resolve) => {
  collector.listen(0, '127.0.0.1', resolve);
});
// A cast: it listens at a port.
const { port } = collector.address() as AddressInfo;
const folder = mkdtempSync(`${tmpdir()}/modreg-bench-memory-`);
const agent = await startAgent(folder, {
  withServer: true,
  collector: `http://127.0.0.1:${port}/v1/logs`,
});
try {
  for (const program of STARTED) await nextStart(agent, program, []);
  await sleep(Number(seconds) * 1000);
  if (taken === 0) throw new Error('the collector got no log');
  const { rss, pss } = usageOf(agent, STARTED);
  printRows([
    {
      measured: `memory with ${PROGRAMS.length} modules, platform-server and a collector, RSS in MB`,
      figure: `${rounded(rss)} (PSS ${rounded(pss)})`,
      target: `≤ ${MOST_MB} MB`,
      isMet: rss <= MOST_MB,
    },
  ]);
} finally {
  await agent.stop();
  collector.close();
  collector.closeAllConnections();
  rmSync(folder, { recursive: true });
}
