import { quote } from '../core/text/quote.ts';
import { systemClock } from '../registry/clock.ts';
import { reportedModuleIds } from '../server/fleet/deployed-versions.ts';
import {
  countMachines,
  machineDetail,
  searchMachines,
  siteTotals,
  type ListedMachine,
  type MachineDetail,
  type MachineSearch,
  type SiteTotals,
} from '../server/fleet/machine-queries.ts';
import { groupCounts, type GroupCount } from '../server/fleet/groups.ts';
import { keptCounts } from './kept-counts.ts';
import { unknownReference, type Answer, type SiteFiles } from './site-files.ts';

const MACHINES_OF_PAGE = 50;
/** So many modules are offered for a choice. */
const MOST_CHOICES = 200;

export interface MachinePage {
  readonly totals: SiteTotals;
  /** The groups of the machines, in the order of their names. */
  readonly groups: readonly GroupCount[];
  readonly machines: readonly ListedMachine[];
  /** How many machines match, whatever page is shown. */
  readonly matching: number;
  /** The `after` of the next page; undefined if this is the last one. */
  readonly next: string | undefined;
  /** The ids of the modules that machines have reported, for the choice in the form; the first ones if there are many. */
  readonly moduleIds: readonly string[];
}

/** The machines that report to a registry. */
export interface SiteMachines {
  machines(search: MachineSearch): Answer<MachinePage>;
  machine(id: string): Answer<MachineDetail>;
}

export function machinesOf(files: SiteFiles): SiteMachines {
  const overview = keptCounts<Overview>(systemClock);
  const matching = keptCounts<number>(systemClock);
  return {
    machines(search) {
      const { after: _after, ...matched } = search;
      const value = {
        ...overview('', () => overviewOf(files)),
        matching: matching(JSON.stringify(matched), () =>
          files.fleet.read((sql) => countMachines(sql, search)),
        ),
        ...machinesAfter(files, search),
      };
      return { ok: true, value };
    },
    machine(id) {
      const machine = files.fleet.read((sql) => machineDetail(sql, id, files.now()));
      if (machine) return { ok: true, value: machine };
      return unknownReference(`no machine has reported as ${quote(id)}`);
    },
  };
}

type Overview = Pick<MachinePage, 'totals' | 'groups' | 'moduleIds'>;

function overviewOf({ fleet, now }: SiteFiles): Overview {
  return fleet.read((sql) => ({
    totals: siteTotals(sql, now()),
    groups: groupCounts(sql, now()),
    moduleIds: reportedModuleIds(sql, '', MOST_CHOICES),
  }));
}

function machinesAfter(
  { fleet, now }: SiteFiles,
  search: MachineSearch,
): Pick<MachinePage, 'machines' | 'next'> {
  const limit = MACHINES_OF_PAGE + 1;
  const found = fleet.read((sql) => searchMachines(sql, search, { now: now(), limit }));
  const machines = found.slice(0, MACHINES_OF_PAGE);
  return { machines, next: found.length > machines.length ? machines.at(-1)?.id : undefined };
}
