import type { PollerEvent } from '../../../src/poller/index.ts';
import { DatabaseError } from '../../../src/store/index.ts';
import { moduleId } from '../../support/ask.ts';
import { claimed } from '../../support/claimed.ts';
import { day, HOUR } from '../../support/day.ts';
import { entry } from '../../support/planned.ts';
import { readingOf } from '../../support/racing.ts';
import { FLEET_ALERTS, type Alert } from './fleet-alerts.ts';
import type { Scraped } from './recorded.ts';
import { agent, DOWN, module, poller, registry, STARTED } from './servers.ts';

const DAY = 24 * HOUR;
const CRASHED = module('stopping', 'it ended with exit code 3');
const FULL = new DatabaseError('unwritable', 'the disk is full', { file: 'machine.db' });

/** What a poller does about an action. */
const failed = (blame: 'release' | 'machine') =>
  ({
    kind: 'acknowledged',
    id: 'a',
    outcome: { kind: 'failed', reason: 'x', blame, running: null },
    retryMs: undefined,
  }) as const;

const QUARANTINED: PollerEvent = {
  kind: 'quarantined',
  moduleId: moduleId('acme:lidar'),
  version: '1.1.0',
  reason: 'it ended with exit code 3',
  until: undefined,
};

async function unreachable(): Promise<never> {
  return await Promise.reject(new Error('down'));
}

/** A machine whose window is closed, so that it replaces nothing, day by day. */
async function closedForDays(steps: number): Promise<Scraped> {
  const machine = await day({
    machine: { modules: [entry('acme:lidar', '1.*')] },
    policy: { maintenance: [{ start: '0 2 1 1 *', duration: '1h', time_zone: 'UTC' }] },
    deployed: { acme_lidar: '1.0.0' },
    releases: { 'acme:lidar': [{ version: '1.0.0' }, { version: '1.1.0' }] },
    intervalMs: 6 * HOUR,
  });
  const file = { ...claimed(), state: machine.state };
  const { scrape } = agent({ file, now: () => machine.clock.now() });
  const play = async (): Promise<void> => await machine.pass(DAY);
  return { job: 'modreg-agent', scrape, steps, everyMs: DAY, play };
}

/** Each alert of the examples, by its name. */
export const ALERTS: Readonly<Record<string, Alert>> = {
  ModregDown: {
    played: () => {
      return { job: 'modreg-agent', scrape: unreachable, steps: 6 };
    },
    before: '4m',
    at: '5m',
    labels: { severity: 'critical' },
    summary: 'host:9464 (modreg-agent) serves no metrics',
  },
  ModregRegistryUnreachable: {
    played: () => {
      const { scrape, round } = poller();
      const play = async (step: number): Promise<void> =>
        await round(step === 1 ? readingOf(1) : DOWN);
      return { job: 'modreg-poller', scrape, steps: 20, play };
    },
    before: '16m',
    at: '17m',
    labels: { severity: 'warning', registry: 'https://registry.example' },
    summary: 'host:9464 has got no list from https://registry.example for 16m 0s',
  },
  ModregPollerHangs: {
    played: () => ({ job: 'modreg-poller', scrape: poller().scrape, steps: 62 }),
    before: '60m',
    at: '61m',
    labels: { severity: 'critical' },
    summary: 'host:9464 has asked no registry for 1h 1m 0s',
  },
  ModregStateUnavailable: {
    played: () => {
      const { scrape, onEvent } = agent();
      const play = (step: number): void => {
        if (step === 1) onEvent({ kind: 'state-unavailable', error: FULL });
      };
      return { job: 'modreg-agent', scrape, steps: 5, play };
    },
    before: '2m',
    at: '3m',
    labels: { severity: 'critical' },
    summary: 'host:9464 cannot use its machine.db, and replaces nothing',
  },
  ModregActionsFail: {
    played: () => {
      const { scrape, onEvent } = poller();
      const play = (step: number): void => {
        if (step <= 3) onEvent(failed(step === 1 ? 'release' : 'machine'));
      };
      return { job: 'modreg-poller', scrape, steps: 5, play };
    },
    before: '2m',
    at: '3m',
    labels: { severity: 'warning' },
    summary: 'actions of host:9464 failed 3 times in an hour',
  },
  ModregVersionQuarantined: {
    played: () => {
      const { scrape, onEvent } = poller();
      const play = (step: number): void => {
        if (step === 2) onEvent(QUARANTINED);
      };
      return { job: 'modreg-poller', scrape, steps: 5, play };
    },
    before: '1m',
    at: '2m',
    labels: { severity: 'warning', event: 'quarantined' },
    summary: 'a version is in quarantine on host:9464',
  },
  ModregModuleDown: {
    played: () => {
      const { scrape, onOwnEvent } = agent();
      const play = (step: number): void => {
        if (step === 1) onOwnEvent(module('running'));
        if (step === 2) onOwnEvent(module('backing-off'));
      };
      return { job: 'modreg-agent', scrape, steps: 20, play };
    },
    before: '16m',
    at: '17m',
    labels: { severity: 'critical', module: 'lidar' },
    summary: 'lidar on host:9464 is not ready',
  },
  ModregModuleCrashLooping: {
    played: () => {
      const { scrape, onOwnEvent } = agent();
      const play = (step: number): void => {
        if (step > 3) return;
        onOwnEvent(STARTED);
        onOwnEvent(CRASHED);
      };
      return { job: 'modreg-agent', scrape, steps: 5, play };
    },
    before: '2m',
    at: '3m',
    labels: { severity: 'critical', module: 'lidar' },
    summary: 'lidar on host:9464 fails again and again',
  },
  ModregRollback: {
    played: () => {
      const { scrape, onOwnEvent } = agent();
      const play = (step: number): void => {
        if (step === 2) for (const one of [CRASHED, module('rolling-back')]) onOwnEvent(one);
      };
      return { job: 'modreg-agent', scrape, steps: 5, play };
    },
    before: '1m',
    at: '2m',
    labels: { severity: 'warning', module: 'lidar' },
    summary: 'a release of lidar failed on host:9464, and the version before it runs again',
  },
  ModregHeldForAWeek: {
    played: async () => await closedForDays(9),
    before: '7d',
    at: '8d',
    labels: { severity: 'warning', module: 'acme_lidar', reason: 'window-closed' },
    summary:
      'a replacement of acme_lidar on host:9464 has been held for 7d 21h 0m 0s: window-closed',
  },
  ModregRegistryUnhealthy: {
    played: () => {
      const { scrape } = registry({ healthy: 0 });
      return { job: 'modreg-registry', scrape, steps: 5 };
    },
    before: '1m',
    at: '2m',
    labels: { severity: 'critical' },
    summary: 'the registry host:9464 says that it is not healthy',
  },
  ModregRegistryFails: {
    played: () => {
      const { scrape, answered } = registry();
      const play = (): void => {
        for (let request = 0; request < 9; request++) answered('200');
        answered('503');
      };
      return { job: 'modreg-registry', scrape, steps: 10, play };
    },
    before: '6m',
    at: '7m',
    labels: { severity: 'critical' },
    summary: 'the registry host:9464 answers more than one request in twenty with 5xx',
  },
  ModregRegistryCertificateExpires: {
    played: () => {
      const { scrape } = registry({ certificateExpiry: 14 * 86_400 + 60 });
      return { job: 'modreg-registry', scrape, steps: 5 };
    },
    before: '1m',
    at: '2m',
    labels: { severity: 'warning' },
    summary: 'the certificate of host:9464 expires in 13d 23h 59m 0s',
  },
  ModregReportsPassedOver: {
    played: () => {
      const { scrape, onEvent } = registry();
      const play = (step: number): void => {
        const because = 'it has no time';
        if (step === 2)
          onEvent({ kind: 'report-passed-over', sequence: 1, machine: 'm1', because });
      };
      return { job: 'modreg-registry', scrape, steps: 5, play };
    },
    before: '1m',
    at: '2m',
    labels: { severity: 'warning' },
    summary: 'the registry host:9464 has passed over reports that it cannot take',
  },
  ModregNoticesWait: {
    played: () => {
      const { scrape } = registry({ waitingNotices: 2 });
      return { job: 'modreg-registry', scrape, steps: 35 };
    },
    before: '29m',
    at: '30m',
    labels: { severity: 'warning' },
    summary: 'notices that no receiver of host:9464 accepts: 2',
  },
  ModregNoticesLost: {
    played: () => {
      const { scrape, onNotice } = registry();
      const to = 'https://hooks.example';
      const play = (step: number): void => {
        if (step === 2) onNotice({ kind: 'notice-dropped', count: 1, to });
      };
      return { job: 'modreg-registry', scrape, steps: 5, play };
    },
    before: '1m',
    at: '2m',
    labels: { severity: 'warning' },
    summary: 'notices of host:9464 were given up',
  },
  ...FLEET_ALERTS,
};
