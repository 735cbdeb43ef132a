import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { openLog } from '../../src/logs/log-file.ts';
import { withUpgradeReleases } from '../faults/upgrade-releases.ts';
import { servedCollector, textOf, type SentRecord } from '../../mocks/log-collector.ts';
import { temporaryFolder } from '../support/folder.ts';
import { inProcess } from '../support/in-process.ts';
import { entry } from '../support/planned.ts';
import { agentInProcess } from '../support/polling.ts';

const TOKEN = 'hunter2-hunter2';

/** What a collector shows of a record: its severity, event, module, version and text. */
function shown(record: SentRecord): string {
  const attribute = (key: string): string =>
    record.attributes.find((one) => one.key === key)?.value.stringValue ?? '-';
  const text = textOf(record)
    .replaceAll(/process \d+/g, 'process PID')
    .replaceAll(/\d+ bytes/g, 'N bytes')
    .replace(/of \S*machine\.json/, 'of machine.json');
  return [
    record.severityText,
    record.eventName ?? '-',
    attribute('modreg.module'),
    attribute('modreg.version'),
    text,
  ].join(' ');
}

/** The last line of a log. */
function lastIn(path: string): string {
  if (!existsSync(path)) return '';
  const log = openLog(path, 'read');
  try {
    return log.newest({ count: 1 })[0]?.text ?? '';
  } finally {
    log.close();
  }
}

it('an agent sends its events, with their names, where the policy says, and the last ones as it ends', async () => {
  const collector = await servedCollector();
  await withUpgradeReleases(async ({ address, publish }) => {
    publish('1.0.0', 'works');
    const policy = {
      registry: address.replace(/\/v1$/, ''),
      run_as: process.getuid?.() === 0 ? 'root' : undefined,
      ready_timeout: '1s',
      probation: '0s',
    };
    const folder = temporaryFolder({
      'machine.json': JSON.stringify({ modules: [entry('acme:lidar', '1.*')] }),
      'policy.json': JSON.stringify(policy),
    });
    mkdirSync(`${folder}/home`);
    const agent = agentInProcess(folder, [], { COLLECTOR_TOKEN: TOKEN });
    await agent.until('install of 1.0.0: done');
    const headers = { authorization: 'Bearer ${environment.COLLECTOR_TOKEN}' };
    const logs = { endpoint: collector.endpoint, headers };
    writeFileSync(`${folder}/policy.json`, JSON.stringify({ ...policy, logs }));
    // It writes the lines of a second at once.
    await expect.poll(() => lastIn(`${folder}/home/logs.db`)).toContain('install of 1.0.0: done');
    // An older release begins a round, which reads the policy, and what is in the log is sent.
    publish('0.9.0', 'works');
    await expect.poll(() => collector.requests.length).toBeGreaterThan(0);
    const status = async (): Promise<string> => {
      const { stdout } = await inProcess(['agent', 'status'], { PLATFORM_HOME: `${folder}/home` });
      return stdout.trimEnd();
    };
    await expect.poll(status).toMatch(/\nLog to \S+: sent at \S+; 0 lines to send$/);
    expect(await agent.end('SIGTERM')).toMatchObject({ exit: 0 });
  });
  expect(collector.requests.map((request) => request.headers.get('authorization'))).toEqual(
    collector.requests.map(() => `Bearer ${TOKEN}`),
  );
  const lines = collector.requests.flatMap(({ records }) => records.map(shown));
  expect(lines).toEqual([
    'INFO modreg.agent.started - - running 1 module of machine.json, a round every 5 s (Ctrl-C stops)',
    'INFO modreg.poller.delivered acme_lidar 1.0.0 acme_lidar: install of 1.0.0: not deployed yet; newest release of 1',
    'INFO modreg.module.downloaded acme_lidar 1.0.0 acme_lidar: 1.0.0 is downloaded, N bytes',
    'INFO modreg.module.installed acme_lidar 1.0.0 acme_lidar: 1.0.0 is installed',
    'INFO modreg.module.started acme_lidar 1.0.0 acme_lidar: 1.0.0 is started (process PID)',
    'INFO modreg.module.running acme_lidar 1.0.0 acme_lidar: 1.0.0 runs',
    'INFO modreg.poller.acknowledged acme_lidar 1.0.0 acme_lidar: install of 1.0.0: done',
    'INFO modreg.agent.stopping - - got SIGTERM: stopping all modules',
    'INFO modreg.module.stopped acme_lidar 1.0.0 acme_lidar: 1.0.0 is stopped',
    'INFO modreg.agent.stopped - - all modules are stopped',
  ]);
});
