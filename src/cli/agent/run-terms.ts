import type { AgentOptions } from '../../agent/agent-options.ts';
import type { Platform, Result } from '../../core/index.ts';
import type { Problem } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import { machineCredentials, type Credentials } from '../../host/credentials.ts';
import { platformOf } from '../../host/list-options.ts';
import { machineIdWith } from '../../host/machine-id.ts';
import type { RegistryOptions } from '../../host/registry-choice.ts';
import { parsePlace, type MetricsPlace } from '../base/metrics-place.ts';
import { readInterval } from '../plan/interval-option.ts';
import { ownVersion } from '../version.ts';
import { siteTarget, type SiteTarget } from '../poll/followed-site.ts';
import { reportTarget, type ReportTarget } from '../poll/machine-reports.ts';

export interface AgentRunOptions extends RegistryOptions {
  readonly interval?: string;
  readonly platform?: string;
  /** Whether the page of the machine runs beside the agent. */
  readonly page?: boolean;
  readonly pagePort?: string;
  readonly metrics?: string;
  readonly reports?: string;
  readonly configFrom?: string;
}

/** The parsed options of `modreg agent run`, and the credentials of the machine. */
export interface RunTerms {
  readonly platform: Platform;
  readonly intervalMs: number;
  /** Where metrics are served. */
  readonly metrics: MetricsPlace | undefined;
  readonly machine: Credentials | undefined;
  readonly machineId: string | undefined;
  /** The group of the machine in its credentials, which counts before that of the policy. */
  readonly group: string | undefined;
  /** Where the machine reports to. */
  readonly reports: ReportTarget | undefined;
  /** Whose documents the machine follows. */
  readonly site: SiteTarget | undefined;
}

export function readRunTerms(options: AgentRunOptions, world: World): Result<RunTerms, Problem> {
  const platform = platformOf(options, world);
  if (!platform.ok) return platform;
  const interval = readInterval(options.interval);
  if (!interval.ok) return interval;
  const metrics = parsePlace(options.metrics);
  if (!metrics.ok) return metrics;
  const machine = machineCredentials(world);
  if (!machine.ok) return machine;
  const reports = reportTarget(options, world);
  if (!reports.ok) return reports;
  const site = siteTarget(options, world);
  if (!site.ok) return site;
  return {
    ok: true,
    value: {
      platform: platform.value,
      intervalMs: interval.value,
      metrics: metrics.value,
      machine: machine.value,
      machineId: machineIdWith(machine.value, world),
      group: machine.value?.group,
      reports: reports.value,
      site: site.value,
    },
  };
}

/** What the launcher has started; undefined if another program did. */
export function launchedIn({ environment }: World): AgentOptions['launched'] {
  const program = environment['MODREG_LAUNCHED'];
  return program ? { program, version: ownVersion() } : undefined;
}
