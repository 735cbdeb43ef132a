import { parseModuleId } from '../core/index.ts';
import { readTrustDocument } from '../core/trust/trust-document.ts';
import type { Problem } from '../base/problem.ts';
import { expiryWarning } from '../host/trust-warnings.ts';
import { writtenEntries, type WrittenEntry } from '../config/module-version.ts';
import { quote } from '../core/text/quote.ts';
import { systemClock } from '../registry/clock.ts';
import { reportedModuleIds } from '../server/fleet/deployed-versions.ts';
import { machineDetail, type MachineDetail } from '../server/fleet/machine-detail.ts';
import {
  countMachines,
  searchMachines,
  type PlacedModule,
  type ListedMachine,
  type MachineSearch,
} from '../server/fleet/machine-queries.ts';
import { siteTotals, type SiteTotals } from '../server/fleet/site-totals.ts';
import { unreportedIds, type Refusals } from '../server/fleet/refusals.ts';
import { inTurns } from '../server/fleet/slices.ts';
import { windowRulesIn } from '../store/facts.ts';
import { groupCounts, type GroupCount } from '../server/fleet/groups.ts';
import type { ReadableCatalogue } from '../server/catalogue/readable-catalogue.ts';
import type { RefusedDocuments } from '../registry/config-documents.ts';
import { recordsIn } from './catalogue-records.ts';
import { keptCounts } from './kept-counts.ts';
import { refusedHere, type RefusedHere } from './refused-here.ts';
import { reportedWindows } from './reported-windows.ts';
import { whatIfBudget } from './what-if-budget.ts';
import { unknownReference, type Answer, type SiteFiles } from './site-files.ts';

const MACHINES_OF_PAGE = 50;
/** So many modules are offered for a choice. */
const MOST_CHOICES = 200;

/** A machine that refuses documents of its site, of which nothing else is known (D480). */
export interface UnreportedMachine {
  readonly id: string;
  readonly refusal: RefusedDocuments;
}

export interface MachinePage {
  readonly totals: SiteTotals;
  /** What is to be known of the keys of the registry (D178). */
  readonly problems: readonly Problem[];
  /** The groups of the machines, in the order of their names. */
  readonly groups: readonly GroupCount[];
  readonly machines: readonly ListedMachine[];
  /** How many machines match, whatever page is shown. */
  readonly matching: number;
  /** The first ones of those that match and have never reported, which `machines` and `matching` lack; on the first page. */
  readonly unreported: readonly UnreportedMachine[];
  /** How many of those match, whatever page is shown. */
  readonly unreportedOf: number;
  /** The `after` of the next page; undefined if this is the last one. */
  readonly next: string | undefined;
  /** The ids of the modules that machines have reported, for the choice in the form; the first ones if there are many. */
  readonly moduleIds: readonly string[];
}

/** A machine, with what a plan would say of its modules. */
export interface ShownMachine extends MachineDetail {
  /** The documents that the registry serves to it (D266); undefined if it serves none. */
  readonly documents: ServedDocuments | undefined;
  /** Whether it follows this registry: documents are served to it, or it has asked for commands. */
  readonly isFollowing: boolean;
  readonly modules: readonly ShownPlacedModule[];
}

/** The newest revision of a machine's documents, and what the machine said of them last. */
interface ServedDocuments {
  readonly newest: number;
  /** The module entries of the newest revision. */
  readonly entries: readonly WrittenEntry[];
  readonly said: ReturnType<ReadableCatalogue['configs']['answer']>;
}

export interface ShownPlacedModule extends PlacedModule {
  /** What a plan says besides (D123); undefined if it took too long (T268). */
  readonly refused: RefusedHere | undefined;
}

/** Which machines are asked for on a page. */
export interface PageSearch extends Omit<MachineSearch, 'refusing'> {
  /** Whether only those that refuse the documents of this registry. */
  readonly isRefusing?: boolean;
}

/** The machines that report to a registry. */
export interface SiteMachines {
  machines(search: PageSearch): Answer<MachinePage>;
  machine(id: string): Promise<Answer<ShownMachine>>;
}

export function machinesOf(files: SiteFiles): SiteMachines {
  const overview = keptCounts<Overview>(systemClock);
  const matching = keptCounts<number>(systemClock);
  return {
    machines(search) {
      const { after: _after, ...matched } = search;
      const asked = { ...files, refusals: files.catalogue.configs.refusals(files.now()) };
      const value = {
        ...overview('', () => overviewOf(asked)),
        matching: matching(JSON.stringify(matched), () =>
          files.fleet.read((sql) => countMachines(sql, searched(asked, search))),
        ),
        ...machinesAfter(asked, search),
        ...unreported(asked, search),
      };
      return { ok: true, value };
    },
    async machine(id) {
      const machine = files.fleet.read((sql) => machineDetail(sql, id, files.now()));
      if (machine) return { ok: true, value: await shownMachine(files, machine) };
      return unknownReference(`no machine has reported as ${quote(id)}`);
    },
  };
}

/** Other pages are shown meanwhile: lists can be long (T268). */
async function shownMachine(
  { catalogue, now }: SiteFiles,
  machine: MachineDetail,
): Promise<ShownMachine> {
  const budget = whatIfBudget(systemClock);
  const { areUsable, windowOf } = reportedWindows(budget, now());
  const ids = [machine.id];
  const modules: ShownPlacedModule[] = [];
  for (const module of machine.modules) {
    const isKnown = await inTurns(areUsable(windowRulesIn(module.facts), ids));
    const isOver = budget.exceeded(ids) !== undefined;
    const when = isKnown ? 'asked' : 'not-asked';
    const refused = (): RefusedHere => {
      const moduleId = parseModuleId(module.moduleId);
      const records = moduleId.ok ? recordsIn(catalogue, moduleId.value) : [];
      return refusedHere(module, { machine, records, windowOf, now: now(), when });
    };
    modules.push({ ...module, refused: isOver ? undefined : budget.spend(ids, refused) });
    if (budget.pause().next().done !== true) await new Promise((resolve) => setImmediate(resolve));
  }
  const documents = documentsOf(catalogue, machine.id);
  const isFollowing = documents !== undefined || catalogue.configs.commands.hasAsked(machine.id);
  return { ...machine, modules, documents, isFollowing };
}

function documentsOf({ configs }: ReadableCatalogue, id: string): ServedDocuments | undefined {
  const newest = configs.newest(id);
  if (!newest) return undefined;
  const { revision, config } = newest;
  return { newest: revision, entries: writtenEntries(config), said: configs.answer(id) };
}

type Overview = Pick<MachinePage, 'totals' | 'problems' | 'groups' | 'moduleIds'>;

/** What a page is read from. Which machines refuse documents is read once for each. */
interface AskedFiles extends SiteFiles {
  readonly refusals: Refusals;
}

function overviewOf({ catalogue, fleet, now, refusals }: AskedFiles): Overview {
  const problems = keyWarnings(catalogue.trust.newest(), now());
  return fleet.read((sql) => ({
    problems,
    totals: siteTotals(sql, now(), refusals),
    groups: groupCounts(sql, now()),
    moduleIds: reportedModuleIds(sql, '', MOST_CHOICES),
  }));
}

function keyWarnings(text: string | undefined, now: number): Problem[] {
  const document = text === undefined ? undefined : readTrustDocument(text);
  if (document?.ok)
    return [expiryWarning('this registry', document.value.expires, now) ?? []].flat();
  const message = 'this registry has no keys, so what machines run needs no signature';
  return [
    {
      severity: 'warning',
      kind: 'unsigned-releases',
      message,
      hint: 'modreg keys init makes them: docs/signing.md',
    },
  ];
}

function machinesAfter(
  files: AskedFiles,
  asked: PageSearch,
): Pick<MachinePage, 'machines' | 'next'> {
  const limit = MACHINES_OF_PAGE + 1;
  const { fleet, now, refusals } = files;
  const search = searched(files, asked);
  const terms = { now: now(), limit, refusals };
  const found = fleet.read((sql) => searchMachines(sql, search, terms));
  const machines = found.slice(0, MACHINES_OF_PAGE);
  return { machines, next: found.length > machines.length ? machines.at(-1)?.id : undefined };
}

function searched({ refusals }: AskedFiles, { isRefusing, ...search }: PageSearch): MachineSearch {
  return isRefusing === true ? { ...search, refusing: refusals } : search;
}

/** The machines that refuse documents and have never reported, where those that refuse are searched for. */
function unreported(
  { fleet, refusals }: AskedFiles,
  { isRefusing, id = '', module, version, group, after }: PageSearch,
): Pick<MachinePage, 'unreported' | 'unreportedOf'> {
  const isWhole = module === undefined && version === undefined && group === undefined;
  if (isRefusing !== true || !isWhole) return { unreported: [], unreportedOf: 0 };
  const ids = fleet
    .read((sql) => unreportedIds(sql, refusals))
    .filter((one) => one.toLowerCase().includes(id.toLowerCase()));
  const first = after === '' ? ids.slice(0, MACHINES_OF_PAGE) : [];
  const listed = first.flatMap((one) => {
    const refusal = refusals.get(one);
    return refusal ? [{ id: one, refusal }] : [];
  });
  return { unreported: listed, unreportedOf: ids.length };
}
