import type { World } from '../../src/base/world.ts';
import { loggedDecisions } from '../../src/core/plan/logged-decisions.ts';
import { planFor } from '../../src/host/plan/machine-plan.ts';
import { readPlanDocuments } from '../../src/host/plan-documents.ts';
import { openLog } from '../../src/logs/log-file.ts';
import { noteActivation } from '../../src/store/activations.ts';
import { openForPoller } from '../../src/store/index.ts';
import type { MachineState } from '../../src/store/machine-state.ts';
import { moduleId } from './ask.ts';
import { moduleNamed } from './claimed.ts';
import { homeAfter } from './machine-home.ts';
import { entry } from './planned.ts';
import { quietWorld } from './quiet-world.ts';
import { site } from './site.ts';

/** A machine with a state that is prepared, not lived. */
export interface Prepared {
  /** By default an arm and a lidar of 1.1.0. */
  readonly deployed?: Readonly<Record<string, string>>;
  readonly policy?: object;
  /** Of each module, in place of 1.0.0 and 1.1.0. */
  readonly releases?: readonly object[];
  readonly work?: (state: MachineState) => void;
  /** Which module ends again and again. */
  readonly failing?: string;
}

const RELEASES = ['1.0.0', '1.1.0'].map((version) => ({
  version,
  published_at: '2026-01-01T00:00:00Z',
}));

/** The world of a prepared machine after a round at `now`, and the path of its config. */
export async function preparedMachine(
  { deployed = { arm: '1.1.0', lidar: '1.1.0' }, policy, releases = RELEASES, ...more }: Prepared,
  now: number,
): Promise<{ readonly world: World; readonly path: string }> {
  const home = homeAfter((state) => {
    for (const [name, version] of Object.entries(deployed))
      state.report(moduleNamed(`acme_${name}`, `acme:${name}`), version, now - 1000);
    more.work?.(state);
  });
  const names = Object.keys(deployed);
  const folder = site({
    machine: { modules: names.map((name) => entry(`acme:${name}`, '1.*')) },
    policy: { registry: './lists', restart_cooldown: '0s', ...policy },
    lists: Object.fromEntries(names.map((name) => [`acme/${name}`, releases])),
  });
  const environment = { PLATFORM_HOME: home };
  const world = { ...quietWorld('linux/arm64'), environment, clock: () => now };
  const path = `${folder}/machine.json`;
  const planned = await planFor(path, readPlanDocuments(path, {}), {}, world);
  if (!planned.ok) throw new Error(planned.error[0]?.message);
  const { plan } = planned.value;
  const file = openForPoller(`${home}/machine.db`);
  file.state.log(loggedDecisions(plan, new Map()), { at: now - 1000, trouble: undefined });
  if (more.failing !== undefined) {
    const current = { version: deployed[more.failing] ?? '', root: '/p' };
    const none = { previous: undefined, settled: undefined };
    const activation = { phase: 'stable', current, ...none } as const;
    const about = { moduleId: moduleId(`acme:${more.failing}`), activation };
    noteActivation(file, `acme_${more.failing}`, about);
    fail(home, `acme_${more.failing}`, { version: current.version, at: now - 1000 });
  }
  file.close();
  return { world, path };
}

function fail(
  home: string,
  module: string,
  { version, at }: { readonly version: string; readonly at: number },
): void {
  const log = openLog(`${home}/logs.db`, 'create');
  const text = `${module}: ${version} failed: it ended with exit code 7`;
  const record = { at, severity: 'warn', text, module, version } as const;
  const failed = { ...record, event: 'modreg.module.failed' };
  log.append([failed, failed]);
  log.close();
}
