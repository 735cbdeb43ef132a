import { checkCluster, type ClusterFinding } from '../../fleet/cluster-check.ts';
import { nodeFacts } from '../../fleet/nats/node-facts.ts';
import { streamFacts } from '../../fleet/nats/stream-facts.ts';
import type { Result } from '../../core/index.ts';
import { jsonLine } from '../output/answer-json.ts';
import { countOf } from '../output/count.ts';
import type { Outcome } from '../problem.ts';
import { failed, usage } from '../registry/catalogue-options.ts';
import type { World } from '../world.ts';

export interface FleetCheckOptions {
  readonly json?: true;
  readonly nats?: string;
  readonly monitor?: string;
}

/** The port on which a nats-server is usually monitored. */
const MONITOR_PORT = 8222;

/** `modreg fleet check`: whether a NATS cluster has the settings that a fleet needs. Changes nothing. */
export async function fleetCheckCommand(
  options: FleetCheckOptions,
  { environment }: World,
): Promise<Outcome> {
  const servers = addressesIn('--nats', options.nats ?? environment['MODREG_NATS'], 'nats:');
  if (!servers.ok) return failed(usage(servers.error));
  const monitors =
    options.monitor === undefined
      ? { ok: true as const, value: servers.value.map(monitorOf) }
      : addressesIn('--monitor', options.monitor, 'http:');
  if (!monitors.ok) return failed(usage(monitors.error));
  const credentials = environment['MODREG_NATS_CREDS'];
  const [streams, ...nodes] = await Promise.all([
    streamFacts({ servers: servers.value.map(({ href }) => href), credentials }),
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

function addressesIn(
  option: string,
  text: string | undefined,
  protocol: 'nats:' | 'http:',
): Result<URL[], string> {
  if (text === undefined) {
    return { ok: false, error: `no cluster is named: pass ${option}, or set MODREG_NATS` };
  }
  const found = text.split(',').map((part) => URL.parse(part.trim()));
  const addresses = found.filter((url) => url?.protocol === protocol && url.host !== '');
  const isRight = addresses.length === found.length && found.every((url) => url?.password === '');
  if (isRight) return { ok: true, value: addresses.flatMap((url) => url ?? []) };
  const expected = `addresses like ${protocol}//10.0.0.1:${protocol === 'nats:' ? 4222 : MONITOR_PORT}, with commas between them and without passwords`;
  return { ok: false, error: `${option} expects ${expected}` };
}

function monitorOf({ hostname }: URL): URL {
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
