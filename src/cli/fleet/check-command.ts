import { checkCluster, type ClusterFinding } from '../../cluster/cluster-check.ts';
import { frontsAt } from '../../cluster/nats/front-facts.ts';
import { nodeFacts } from '../../cluster/nats/node-facts.ts';
import { streamFacts } from '../../cluster/nats/stream-facts.ts';
import { jsonLine } from '../base/answer-json.ts';
import { countOf } from '../../base/count.ts';
import { failed, type Outcome } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import { monitorsOf } from './monitors.ts';
import { clusterPlace } from './serve-command.ts';

export interface FleetCheckOptions {
  readonly json?: true;
  readonly nats?: string;
  readonly natsCreds?: string;
  readonly monitor?: string;
}

const ANSWER_MS = 5000;

/** `modreg fleet check`: whether a NATS cluster has the settings that a fleet needs. Changes nothing. */
export async function fleetCheckCommand(
  options: FleetCheckOptions,
  world: World,
): Promise<Outcome> {
  const place = clusterPlace(options, world);
  if (!place.ok) return failed(place.error);
  const monitors = monitorsOf(options.monitor, place.value);
  if (!monitors.ok) return failed(monitors.error);
  const [streams, fronts, ...nodes] = await Promise.all([
    streamFacts(place.value),
    Promise.all(monitors.value.map(async ({ href }) => await frontsAt(href, ANSWER_MS))),
    ...monitors.value.map(async ({ href, host }) => [host, await nodeFacts(href)] as const),
  ]);
  const findings = checkCluster({ nodes: new Map(nodes), streams, fronts: fronts.flat() });
  return {
    answer: options.json ? [findingsAsJson(findings)] : linesOf(findings),
    notes: [],
    problems: [],
    ending: findings.some(({ isWrong }) => isWrong) ? 'no' : undefined,
  };
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
