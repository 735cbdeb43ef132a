import { Registry } from 'prom-client';
import { MOST_VERSIONS } from '../../server/fleet/fleet-numbers.ts';
import type { MetricsText } from '../../server/registry-options.ts';
import type { RegistryNumbers } from '../../server/serve.ts';
import { addSampled, type Sample } from './sampled.ts';
import { scrapeOf } from './scrape.ts';

/** Numbers are used for so long. */
const KEPT_MS = 10_000;
/** Counting a large fleet takes at most a twentieth of the time. */
const PAUSE_FACTOR = 20;

/** Metrics of what machines report, which not everybody may read (D210). None while `read` returns undefined. */
export function fleetMetrics(
  read: () => Promise<RegistryNumbers> | undefined,
): () => Promise<MetricsText> {
  const registry = new Registry();
  const numbers = kept(read);
  const gauge: Gauge = (name, help, labels, samples) =>
    addSampled(registry, {
      type: 'gauge',
      name: `modreg_registry_${name}`,
      help,
      labels,
      async read() {
        const found = await numbers();
        return found ? samples(found) : [];
      },
    });
  addMachines(gauge);
  addModules(gauge);
  gauge('rollouts', 'Rollouts by their state', ['state'], ({ rollouts }) => by('state', rollouts));
  return scrapeOf(registry);
}

/** Adds a metric of the numbers. */
type Gauge = <Label extends string>(
  name: string,
  help: string,
  labels: readonly Label[],
  samples: (found: RegistryNumbers) => Iterable<Sample<Label>>,
) => void;

function addMachines(gauge: Gauge): void {
  gauge('machines', 'Machines by presence', ['presence'], ({ machines }) =>
    by('presence', machines),
  );
  const versions = `Machines in use by their modreg: ${MOST_VERSIONS} versions, unknown, other`;
  gauge('machines_by_version', versions, ['modreg'], (found) =>
    Array.from(found.versions, ([modreg, n]) => [{ modreg }, n] as const),
  );
  const refusing = 'Machines that refuse the documents of this registry';
  gauge('machines_refusing', refusing, [], (found) => [[{}, found.refusing]]);
  const wrong = 'Machines whose clock is more than five minutes from that of this registry';
  gauge('machines_with_wrong_clock', wrong, [], (found) => [[{}, found.wrongClocks]]);
  const oldest = 'Seconds since the last report of the machine in use whose report is the oldest';
  gauge('seconds_since_oldest_report', oldest, [], ({ oldestReportAt, at }) =>
    oldestReportAt === undefined ? [] : [[{}, Math.max(0, at - oldestReportAt) / 1000]],
  );
}

function addModules(gauge: Gauge): void {
  const behind = 'Modules of machines whose target is not deployed';
  gauge('modules_behind', behind, [], (found) => [[{}, found.behind]]);
  const stuck = 'Modules of machines for which nothing can be selected';
  gauge('modules_stuck', stuck, [], (found) => [[{}, found.stuck]]);
  const held = 'Modules of machines whose replacement is held, by the first reason';
  gauge('modules_held', held, ['reason'], (found) => by('reason', found.held));
  const failing = 'Modules of machines with a failure, by blame';
  gauge('modules_failing', failing, ['blame'], (found) => by('blame', found.failing));
}

function by<Label extends string>(
  label: Label,
  counts: Readonly<Record<string, number>>,
): Sample<Label>[] {
  // A cast: an object with this one field.
  return Object.entries(counts).map(([of, n]) => [{ [label]: of } as Record<Label, string>, n]);
}

/** Reads again only after some seconds. What cannot be read is not kept. */
function kept(
  read: () => Promise<RegistryNumbers> | undefined,
): () => Promise<RegistryNumbers | undefined> {
  let last: Promise<RegistryNumbers | undefined> | undefined;
  let until = -Infinity;
  const again = async (): Promise<RegistryNumbers | undefined> => {
    const began = performance.now();
    until = Infinity;
    try {
      const found = await read();
      const ended = performance.now();
      until = found ? ended + Math.max(KEPT_MS, PAUSE_FACTOR * (ended - began)) : -Infinity;
      return found;
    } catch (error) {
      until = -Infinity;
      throw error;
    }
  };
  return async () =>
    await (last === undefined || performance.now() >= until ? (last = again()) : last);
}
