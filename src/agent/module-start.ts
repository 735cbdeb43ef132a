import type { Installed } from '../core/machine/activation.ts';
import type { ModuleEntry } from '../core/machine/machine.ts';
import type { UpdateTerms } from '../core/machine/update-policy.ts';
import type { ModuleStart } from './module-process.ts';
import type { ModulesOptions } from './modules-options.ts';
import { impossibleHere } from './runnable.ts';

/** What changes between the starts of a module. */
interface Starting {
  /** Unique among the processes of this agent. */
  readonly number: number;
  readonly terms: () => UpdateTerms;
  /** Called at each start. Returns the entry as it is then; undefined if it has left the config. */
  readonly begin: () => ModuleEntry | undefined;
}

/** What the process of the entry `name` needs. */
export function moduleStart(
  name: string,
  { ports, site, clock, runId, cgroups, onLine, onEvent, onMissing }: ModulesOptions,
  { number, terms, begin }: Starting,
): ModuleStart {
  return {
    clock,
    cgroups,
    home: site.home,
    mark: `${runId}/${name}/${number}/`,
    terms: () => terms().run,
    runnable: async (run: Installed) => {
      const entry = begin();
      if (!entry) return await Promise.resolve(impossibleHere(LEFT));
      if (entry.type !== 'local' && !ports.isInstalled(run.root)) onMissing(name);
      return ports.runnableFor(entry, run, { terms: terms(), site });
    },
    onLine: (line) => onLine(name, line),
    onStarted: ({ version }, of) => onEvent({ kind: 'started', name, version, ...of }),
    onStopped: ({ version }, killedAfterMs) => {
      onEvent({ kind: 'stopped', name, version, killedAfterMs });
    },
  };
}

const LEFT = 'its entry is no longer in the config';

/** How a module is run, as the config and the policy say: what applies from its next start. */
export function runSetup({ env, extra }: ModuleEntry, { run, envAllow }: UpdateTerms): string {
  const { restartStatus: _, onUnclearStatus: _asked, ...setup } = run;
  return JSON.stringify([env, extra, setup, envAllow]);
}
