import { systemClock } from '../../../src/registry/clock.ts';
import type { LogRecord } from '../../../src/logs/log-record.ts';
import { readLogs } from '../../../src/server/logs/received-records.ts';
import { logsPath, RegistryLogs } from '../../../src/server/logs/registry-logs.ts';
import { SERVER_LIMITS, type ServerLimits } from '../../../src/server/server-limits.ts';
import { exported } from '../../support/otlp-logs.ts';
import type { TestSite } from './site-page.ts';

/** Stores lines of a machine as the server does, at the time of the site. */
export async function logged(
  site: TestSite,
  machine: string,
  lines: readonly LogRecord[],
  limits: Partial<ServerLimits> = {},
): Promise<void> {
  const clock = { ...systemClock, now: () => site.now };
  const logs = new RegistryLogs(logsPath(site.path), {
    clock,
    limits: { ...SERVER_LIMITS, ...limits },
  });
  const text = exported(lines, machine);
  const read = readLogs(JSON.parse(text));
  if (!read.ok) throw new Error(read.error);
  await logs.take({ machine, records: read.value.records }, text.length);
  logs.close();
}
