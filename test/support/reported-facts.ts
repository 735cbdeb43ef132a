import type { MaintenanceWindow } from '../../src/config/fields/maintenance-window.ts';
import { compileWindows } from '../../src/config/window.ts';
import {
  indexReleases,
  parseConstraint,
  planMachine,
  readDeployed,
  type Platform,
} from '../../src/core/index.ts';
import { readMachine } from '../../src/config/index.ts';
import { DEFAULT_POLICY } from '../../src/core/machine/update-policy.ts';
import { loggedDecisions } from '../../src/core/plan/logged-decisions.ts';
import { reportedModules } from '../../src/reports/reported-state.ts';
import type { ReportedModule } from '../../src/registry/machine-report.ts';
import { encodeFacts } from '../../src/store/facts.ts';

/** A machine with one lidar. */
export interface LidarMachine {
  readonly constraint?: string;
  readonly deployed?: string;
  /** When maintenance is allowed, in cron syntax; at any time if absent. */
  readonly window?: string;
  /** Instead of `window`: all windows of its policy. */
  readonly windows?: readonly MaintenanceWindow[];
  readonly minimumAgeMs?: number;
  /** When the releases were published, in milliseconds since the epoch; not known if absent. */
  readonly publishedAt?: number;
  readonly platform?: Platform;
  readonly quarantine?: string;
  /** When the quarantine ends; never if absent. */
  readonly until?: number;
  readonly id?: string;
}

/** What the machine reports, from the plan that it makes while 1.2.8 and 1.2.9 are published. */
export function lidarReport(machine: LidarMachine, now: number): ReportedModule {
  const { constraint = '1.*', deployed = '1.2.9', window, minimumAgeMs = 0 } = machine;
  const { platform = 'linux/arm64', quarantine, until, id, publishedAt } = machine;
  const config = readMachine(
    JSON.stringify({
      modules: [
        { type: 'registry', name: 'acme_lidar', module_id: 'acme:lidar', version: constraint },
      ],
    }),
  );
  const parsed = parseConstraint(constraint);
  if (!config.ok || !parsed.ok) throw new Error('the machine cannot be read');
  const own =
    window === undefined ? [] : [{ start: window, durationMs: 7_200_000, timeZone: 'UTC' }];
  const { windows = own } = machine;
  const terms = {
    ...DEFAULT_POLICY.terms,
    window: compileWindows(windows),
    minimumAge: { ms: minimumAgeMs, unknown: 'refuse' as const },
  };
  const list = {
    index: indexReleases(['1.2.8', '1.2.9'].map((version) => ({ version, publishedAt }))),
  };
  const plan = planMachine({
    machine: config.value,
    policy: { terms, modules: new Map() },
    platform,
    machineId: id,
    now,
    modules: new Map([
      [
        'acme_lidar',
        {
          list,
          deployed: readDeployed(deployed === 'none' ? null : deployed),
          restarts: [now - 1000],
          quarantine: quarantine === undefined ? [] : [{ version: quarantine, until }],
        },
      ],
    ]),
    subsystems: new Map(),
    isServerBusy: false,
  });
  const decisions = loggedDecisions(plan, new Map()).filter(({ kind }) => kind === 'module');
  const facts: unknown = JSON.parse(encodeFacts(plan.modules[0]?.decision.input ?? never()));
  const recorded = decisions.map((one) => ({ ...one, deployed, facts }));
  const state = {
    decisions: () => decisions,
    newestInHistory: () => recorded,
    memory: () => ({ held: [], open: [], quarantine: [] }),
  };
  return reportedModules(state, () => ['lidar0', 'nav'])[0] ?? never();
}

function never(): never {
  throw new Error('the plan has no module');
}
