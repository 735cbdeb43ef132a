import { hostname } from 'node:os';
import { basename } from 'node:path';
import { quote } from '../../core/text/quote.ts';
import type { MachinePage, PagedSite } from '../../page/site/paged-site.ts';
import { systemClock } from '../../registry/clock.ts';
import { reportedModuleIds } from '../../server/fleet/deployed-versions.ts';
import {
  countMachines,
  machineDetail,
  searchMachines,
  siteTotals,
  type MachineSearch,
} from '../../server/fleet/site-queries.ts';
import { keptCounts } from '../../site/kept-counts.ts';
import { modulesOnPage } from './modules-on-page.ts';
import { rolloutsOnPage, type OnChange } from './rollouts-on-page.ts';
import { refused, usingFiles, type SiteFiles } from './site-files.ts';

const MACHINES_OF_PAGE = 50;
/** So many modules are offered for a choice. */
const MOST_CHOICES = 200;

/** The site whose machines report to a registry, for its page. */
export function siteOnPage(files: SiteFiles, onChange: OnChange): PagedSite {
  const overview = keptCounts<Overview>(systemClock);
  const matching = keptCounts<number>(systemClock);
  return {
    title: `${hostname()} · ${basename(files.catalogue.path)}`,
    now: files.now,
    ...rolloutsOnPage(files, onChange),
    ...modulesOnPage(files),
    machines: (search) =>
      usingFiles(() => {
        const { after: _after, ...matched } = search;
        const value = {
          ...overview('', () => overviewOf(files)),
          matching: matching(JSON.stringify(matched), () =>
            files.fleet.read((sql) => countMachines(sql, search)),
          ),
          ...machinesAfter(files, search),
        };
        return { ok: true, value };
      }),
    machine: (id) =>
      usingFiles(() => {
        const machine = files.fleet.read((sql) => machineDetail(sql, id, files.now()));
        if (machine) return { ok: true, value: machine };
        return refused('UNKNOWN_REFERENCE', `no machine has reported as ${quote(id)}`);
      }),
  };
}

type Overview = Pick<MachinePage, 'totals' | 'moduleIds'>;

function overviewOf({ fleet, now }: SiteFiles): Overview {
  return fleet.read((sql) => ({
    totals: siteTotals(sql, now()),
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
