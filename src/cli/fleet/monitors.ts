import type { ClusterPlace } from '../../cluster/nats/connection.ts';
import type { Result } from '../../core/index.ts';
import { usage, type Problem } from '../../base/problem.ts';

/** The port on which a nats-server is usually monitored. */
const MONITOR_PORT = 8222;

/** The monitoring addresses of the nodes: those of `--monitor`, or the usual port of each. */
export function monitorsOf(
  monitor: string | undefined,
  { servers }: Pick<ClusterPlace, 'servers'>,
): Result<readonly URL[], Problem> {
  return monitor === undefined ? { ok: true, value: servers.map(monitorOf) } : addressesIn(monitor);
}

function addressesIn(text: string): Result<readonly URL[], Problem> {
  const found = text.split(',').flatMap((part) => URL.parse(part.trim()) ?? []);
  const isRight = found.every(({ protocol }) => /^https?:$/.test(protocol));
  if (isRight && found.length === text.split(',').length) return { ok: true, value: found };
  const error = `--monitor expects addresses like http://10.0.0.1:${MONITOR_PORT}, separated by commas`;
  return { ok: false, error: usage(error) };
}

function monitorOf(server: string): URL {
  const { hostname } = new URL(server.replace(/^\w+:/, 'http:'));
  return new URL(`http://${hostname}:${MONITOR_PORT}`);
}
