import { checkCluster, type ClusterFinding } from '../../cluster/cluster-check.ts';
import { nodeFacts } from '../../cluster/nats/node-facts.ts';
import { streamFacts } from '../../cluster/nats/stream-facts.ts';
import type { Result } from '../../core/index.ts';
import { jsonLine } from '../base/answer-json.ts';
import { countOf } from '../../base/count.ts';
import { failed, usage, type Outcome } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import { clusterPlace } from './serve-command.ts';

export interface FleetCheckOptions {
  readonly json?: true;
  readonly nats?: string;
  readonly natsCreds?: string;
  readonly monitor?: string;
}

/** The port on which a nats-server is usually monitored. */
const MONITOR_PORT = 8222;

/** `modreg fleet check`: whether a NATS cluster has the settings that a fleet needs. Changes nothing. */
export async function fleetCheckCommand(
  options: FleetCheckOptions,
  world: World,
): Promise<Outcome> {
  const place = clusterPlace(options, world);
  if (!place.ok) return failed(place.error);
  const monitors =
    options.monitor === undefined
      ? { ok: true as const, value: place.value.servers.map(monitorOf) }
      : addressesIn(options.monitor);
  if (!monitors.ok) return failed(usage(monitors.error));
  const [streams, ...nodes] = await Promise.all([
    streamFacts(place.value),
    ...monitors.value.map(async ({ href, host }) => [host, await nodeFacts(href)] as const),
  ]);
  const findings = checkCluster({ nodes: new Map(nodes), streams });
  return {
    answer: options.json ? [findingsAsJson(findings)] : linesOf(findings),
    notes: [],
    problems: [],
    ending: findings.some(({ isWrong }) => isWrong) ? 'no' : undefined,
  };
}

function addressesIn(text: string): Result<URL[], string> {
  const found = text.split(',').flatMap((part) => URL.parse(part.trim()) ?? []);
  const isRight = found.every(({ protocol }) => /^https?:$/.test(protocol));
  if (isRight && found.length === text.split(',').length) return { ok: true, value: found };
  const error = `--monitor expects addresses like http://10.0.0.1:${MONITOR_PORT}, separated by commas`;
  return { ok: false, error };
}

function monitorOf(server: string): URL {
  const { hostname } = new URL(server.replace(/^\w+:/, 'http:'));
  return new URL(`http://${hostname}:${MONITOR_PORT}`);
}

function linesOf(findings: readonly ClusterFinding[]): string[] {
  const width = Math.max(...findings.map(({ subject }) => subject.length));
  const wrong = findings.filter(({ isWrong }) => isWrong).length;
  return [
    ...findings.flatMap(({ subject, isWrong, text, fix }) => [
      `${isWrong ? 'error' : 'ok   '}  ${subject.padEnd(width)}  ${text}`,
      ...(fix === undefined ? [] : [`${' '.repeat(width + 9)}fix: ${fix}`]),
    ]),
    wrong === 0 ? 'nothing is wrong' : countOf(wrong, 'error'),
  ];
}

function findingsAsJson(findings: readonly ClusterFinding[]): string {
  return jsonLine({
    schema: 'modreg/fleet-check@1',
    errors: findings.filter(({ isWrong }) => isWrong).length,
    findings: findings.map(({ subject, isWrong, text, fix }) => ({
      subject,
      severity: isWrong ? 'error' : 'ok',
      found: text,
      fix: fix ?? null,
    })),
  });
}
