import type { RegistryNumbers } from '../../../src/server/serve.ts';
import type { Scraped } from './recorded.ts';
import { registry } from './servers.ts';

const DAY = 86_400_000;

/** An alert of the examples, and when it must fire. */
export interface Alert {
  /** A server, and what happens to it. */
  readonly played: () => Scraped | Promise<Scraped>;
  /** When the alert must fire first, and when it must not yet. */
  readonly at: string;
  readonly before: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly summary: string;
}

/** A registry whose fleet has these numbers from the second minute on. */
function fleetWith(steps: number, numbers: Partial<RegistryNumbers>): Scraped {
  let step = 0;
  const { scrape } = registry({}, () => (step < 2 ? {} : numbers));
  return { job: 'modreg-registry', scrape, steps, play: (now) => void (step = now) };
}

const NO_ROLLOUTS = { running: 1, failing: 0, halted: 0, completed: 3, retracted: 0, damaged: 0 };

/** The alerts on what machines report, by their names. */
export const FLEET_ALERTS: Readonly<Record<string, Alert>> = {
  ModregMachineSilent: {
    played: () => fleetWith(20, { machines: { online: 1, quiet: 1, silent: 2, retired: 1 } }),
    before: '16m',
    at: '17m',
    labels: { severity: 'warning', presence: 'silent' },
    summary: 'machines that the registry host:9464 does not hear any more: 2',
  },
  ModregReportOld: {
    played: () => fleetWith(20, { oldestReportAt: 0, at: 3 * DAY + 60_000 }),
    before: '16m',
    at: '17m',
    labels: { severity: 'warning' },
    summary: 'a machine has not reported to host:9464 for 3d 0h 1m 0s',
  },
  ModregDocumentsRefused: {
    played: () => fleetWith(20, { refusing: 2 }),
    before: '16m',
    at: '17m',
    labels: { severity: 'warning' },
    summary: 'machines that refuse their documents of host:9464: 2',
  },
  ModregClockWrong: {
    played: () => fleetWith(20, { wrongClocks: 1 }),
    before: '16m',
    at: '17m',
    labels: { severity: 'warning' },
    summary: 'machines whose clock is more than five minutes from that of host:9464: 1',
  },
  ModregModulesFail: {
    played: () => fleetWith(35, { failing: { machine: 1, release: 1, undecided: 0, other: 0 } }),
    before: '31m',
    at: '32m',
    labels: { severity: 'warning' },
    summary: 'modules that fail on machines of host:9464: 2',
  },
  ModregModulesStuck: {
    played: () => fleetWith(65, { stuck: 3 }),
    before: '61m',
    at: '62m',
    labels: { severity: 'warning' },
    summary: 'modules of machines of host:9464 for which nothing can be selected: 3',
  },
  ModregRolloutFails: {
    played: () => fleetWith(5, { rollouts: { ...NO_ROLLOUTS, running: 0, failing: 1 } }),
    before: '1m',
    at: '2m',
    labels: { severity: 'critical' },
    summary: 'rollouts that fail or are damaged at host:9464: 1',
  },
  ModregRolloutHalted: {
    played: () => fleetWith(5, { rollouts: { ...NO_ROLLOUTS, running: 0, halted: 1 } }),
    before: '1m',
    at: '2m',
    labels: { severity: 'critical', state: 'halted' },
    summary: 'a rollout of host:9464 was halted in the last hour',
  },
};
