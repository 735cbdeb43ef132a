import type { Platform, Result } from '../../core/index.ts';
import { parseDuration } from '../../core/text/duration.ts';
import { groupOf, machineIdOf } from '../../host/machine-id.ts';
import { parsePlace, type MetricsPlace } from '../base/metrics-place.ts';
import { readInterval } from '../plan/interval-option.ts';
import type { Problem } from '../../base/problem.ts';
import type { RegistryOptions } from '../../host/registry-choice.ts';
import { platformOf } from '../../host/list-options.ts';
import type { World } from '../../base/world.ts';
import { reportTarget, type ReportTarget } from './machine-reports.ts';
import { siteTarget, type SiteTarget } from './followed-site.ts';
import { findProgram } from './find-program.ts';

export interface PollOptions extends RegistryOptions {
  readonly exec: string;
  readonly prepare?: string;
  readonly timeout?: string;
  readonly deployed?: string;
  readonly interval?: string;
  readonly platform?: string;
  readonly metrics?: string;
  readonly reports?: string;
  readonly configFrom?: string;
}

/** The parsed options of `modreg poll`. */
export interface PollTerms {
  readonly platform: Platform;
  readonly machineId: string | undefined;
  /** The group of the machine in its credentials, which counts before that of the policy. */
  readonly group: string | undefined;
  readonly intervalMs: number;
  readonly timeoutMs: number;
  readonly program: string;
  /** Run before `program`, as long as nothing has been stopped. */
  readonly prepare: string | undefined;
  /** Where metrics are served. */
  readonly metrics: MetricsPlace | undefined;
  /** Where the machine reports to. */
  readonly reports: ReportTarget | undefined;
  /** Whose documents the machine follows. */
  readonly site: SiteTarget | undefined;
}

const DEFAULT_TIMEOUT_MS = 30 * 60_000;

/** Parses the options, and reports every one that cannot be parsed. */
export function readPollTerms(options: PollOptions, world: World): Result<PollTerms, Problem[]> {
  const platform = platformOf(options, world);
  const interval = readInterval(options.interval);
  const timeout = readTimeout(options.timeout);
  const program = findProgram('--exec', options.exec, world);
  const prepare = readPrepare(options.prepare, world);
  const metrics = parsePlace(options.metrics);
  const machineId = machineIdOf(world);
  // The credentials have the id as well, and are named once.
  const reports = machineId.ok ? reportTarget(options, world) : machineId;
  const site = reports.ok ? siteTarget(options, world) : reports;
  if (
    platform.ok &&
    machineId.ok &&
    interval.ok &&
    timeout.ok &&
    program.ok &&
    prepare.ok &&
    metrics.ok &&
    reports.ok &&
    site.ok
  ) {
    const value = {
      platform: platform.value,
      machineId: machineId.value,
      group: groupOf(world),
      intervalMs: interval.value,
      timeoutMs: timeout.value,
      program: program.value,
      prepare: prepare.value,
      metrics: metrics.value,
      reports: reports.value,
      site: site.value,
    };
    return { ok: true, value };
  }
  const read = [platform, interval, timeout, program, prepare, metrics, site];
  return { ok: false, error: read.flatMap((one) => (one.ok ? [] : [one.error])) };
}

function readPrepare(named: string | undefined, world: World): Result<string | undefined, Problem> {
  return named === undefined
    ? { ok: true, value: undefined }
    : findProgram('--prepare', named, world);
}

function readTimeout(text: string | undefined): Result<number, Problem> {
  if (text === undefined) return { ok: true, value: DEFAULT_TIMEOUT_MS };
  const ms = parseDuration(text);
  if (ms.ok && ms.value > 0) return ms;
  const message = `--timeout: ${ms.ok ? `${text} is too short, expected 1s or more` : ms.error}`;
  return { ok: false, error: { severity: 'error', kind: 'usage', message } };
}
