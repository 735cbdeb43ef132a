import { existsSync, rmSync, writeFileSync } from 'node:fs';
import type { Fault, Installed } from '../core/machine/activation.ts';
import { npmKeysIn, pinIn, type UpdateTerms } from '../core/machine/update-policy.ts';
import type { Result } from '../core/text/result.ts';
import type { Delivery } from '../poller/index.ts';
import type { AgentOptions } from './agent-options.ts';
import { whyNoData, whyNotHandedOver } from './data-folder.ts';
import type { AgentEvent } from './event.ts';
import { installPackage, nameOf, type InstallOrder } from './install/install-package.ts';
import type { Package } from './install/package.ts';
import { firstRunMark, prefetchMark } from './install/package-store.ts';
import type { InstallTurns } from './install/turns.ts';
import { openFilesOf, type OpenFiles } from './process/open-files.ts';
import { dataFolder } from './module-data.ts';
import type { OutputLine } from './process/program-output.ts';
import { runAsOf, whyClosed, type RunAs } from './process/run-as.ts';
import { runOnce } from './process/run-once.ts';
import { environmentFor, impossibleHere, type ModuleSite } from './runnable.ts';

/** How long a package's first run may take. */
const FIRST_RUN_MS = 15 * 60_000;

/** What preparing a version needs. */
export interface Preparation {
  readonly site: ModuleSite;
  readonly fetch: NonNullable<AgentOptions['fetch']>;
  readonly turns: InstallTurns;
  readonly runId: string;
  /** The cgroup below which each process gets its own. */
  readonly cgroups: string | undefined;
  readonly onEvent: (event: AgentEvent) => void;
  readonly onLine: NonNullable<AgentOptions['onLine']>;
  /** Aborts when the agent ends. */
  readonly stopping: AbortSignal;
}

/**
 * Makes the version of an action ready to be started, while the one before it runs: installed, and its first run done once.
 * Rejects with the reason of the delivery's signal, or when the agent ends.
 */
export async function prepared(
  delivery: Delivery,
  preparation: Preparation,
): Promise<Result<Installed, Fault | FirstRunFault>> {
  const { action, entry, folders, terms } = delivery;
  const { site, turns } = preparation;
  const { root } = folders;
  if (root === undefined || !entry) {
    return impossibleHere(`${action.to} is not a version, and cannot be installed`);
  }
  const environment = environmentFor(entry, root, { terms, site });
  if (!environment.ok) return environment;
  const runAs = runAsOf(terms.run.runAs);
  if (!runAs.ok) return impossibleHere(runAs.error);
  const order = {
    delivery,
    onEvent: preparation.onEvent,
    ...orderFor(delivery, preparation),
    root,
    data: dataFolder(site, entry.name),
    environment: environment.value,
    runAs: runAs.value,
    noNewPrivs: terms.run.noNewPrivs,
    openFiles: openFilesOf(site.environment),
  };
  const { artifact } = action;
  // Two entries of one module, or two modules, may have the same file.
  const result = await turns.ofFile(
    artifact ? nameOf(artifact) : root,
    async () => await ready(order),
  );
  return result.ok ? { ok: true, value: { version: action.to, root } } : result;
}

/** Rejects with the reason of the delivery's signal if the action may not be begun now: it is taken back (D72). */
export async function expectPermission(
  delivery: Pick<Delivery, 'action' | 'mayProceed' | 'signal'>,
  { onEvent }: Pick<Preparation, 'onEvent'>,
): Promise<void> {
  const permission = await delivery.mayProceed();
  if (permission.mayProceed) return;
  const { target, to } = delivery.action;
  const { because, text: reason } = permission;
  // What holds it is said by the poller.
  if (because.length === 0) onEvent({ kind: 'not-begun', name: target.name, version: to, reason });
  delivery.signal.throwIfAborted();
  throw new Error(reason);
}

interface Order extends InstallOrder {
  /** The folder with the data of the module. */
  readonly data: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly runAs: RunAs | undefined;
  readonly noNewPrivs: boolean;
  readonly openFiles: OpenFiles | undefined;
  readonly mark: string;
  readonly delivery: Delivery;
  readonly onEvent: Preparation['onEvent'];
  readonly cgroups: string | undefined;
  readonly onLine: (line: OutputLine) => void;
}

function orderFor(
  delivery: Delivery,
  preparation: Preparation,
): Omit<
  Order,
  'delivery' | 'onEvent' | 'root' | 'data' | 'environment' | 'runAs' | 'noNewPrivs' | 'openFiles'
> {
  const { action, terms, signal, progress } = delivery;
  const { runId, cgroups, turns, onEvent, onLine } = preparation;
  const { name } = action.target;
  const { requireDigest } = terms;
  // The digest of an address is a part of it, or there is none (D36).
  const own = { ...terms, requireDigest: requireDigest && action.reason.kind !== 'pin-url' };
  return {
    ...installTermsFor({ artifact: action.artifact, terms: own, signal }, preparation),
    turns,
    onStep: (step) => {
      const { bytes, total = 0 } = step.kind === 'downloading' ? step : { bytes: 0 };
      if (total > 0) progress(Math.min(1, bytes / total));
      onEvent({ kind: 'installing', name, version: action.to, step });
    },
    mark: `${runId}/${name}/first-run/`,
    cgroups,
    onLine: (line) => onLine(name, line),
  };
}

/** How a release is installed on this machine. */
export function installTermsFor(
  { artifact, terms, signal }: Pick<Delivery, 'terms' | 'signal'> & Pick<InstallOrder, 'artifact'>,
  { site, fetch, stopping }: Pick<Preparation, 'site' | 'fetch' | 'stopping'>,
): Omit<InstallOrder, 'root' | 'turns' | 'onStep'> {
  const { allowHttp, requireDigest, run } = terms;
  return {
    reserveMib: terms.diskReserveMib,
    artifact,
    home: site.home,
    platform: site.platform,
    command: run.command,
    fetch: { ...fetch(terms), allowHttp, requireDigest },
    signal: AbortSignal.any([signal, stopping]),
  };
}

/** The first run failed, which may need what the version in use needs too (D103). */
export interface FirstRunFault extends Fault {
  readonly isFirstRun: true;
}

async function ready(order: Order): Promise<Result<Package, Fault | FirstRunFault>> {
  const installed = withSignedDigest(await installPackage(order), order.delivery.terms);
  rmSync(prefetchMark(order.root), { force: true });
  if (!installed.ok || installed.value.firstRun === undefined) return installed;
  const { root, data, runAs } = order;
  const done = firstRunMark(root);
  if (existsSync(done)) return installed;
  const closed = whyClosed(root, runAs) ?? whyNoData(data, runAs);
  if (closed !== undefined) return impossibleHere(closed);
  // It may migrate the data of the version that runs.
  await expectPermission(order.delivery, order);
  const kept = whyNotHandedOver(data, runAs);
  if (kept !== undefined) return impossibleHere(kept);
  const fault = await firstRun(installed.value.firstRun, order);
  if (fault) return { ok: false, error: fault };
  writeFileSync(done, '');
  return installed;
}

/** A digest that was signed is that of the release: who serves another file is at fault (A1). */
function withSignedDigest(
  installed: Awaited<ReturnType<typeof installPackage>>,
  terms: UpdateTerms,
): typeof installed {
  const isSigned = pinIn(terms) !== undefined || npmKeysIn(terms) !== undefined;
  if (installed.ok || installed.error.kind !== 'wrong-digest' || !isSigned) return installed;
  return { ok: false, error: { ...installed.error, blame: 'machine' } };
}

/** Runs a program of the package once, in a cgroup of its own (T273). It may run again if the machine stops meanwhile. */
async function firstRun(
  path: string,
  { root, environment, runAs, noNewPrivs, openFiles, mark, cgroups, onLine, signal }: Order,
): Promise<FirstRunFault | undefined> {
  const terms = { environment, runAs, noNewPrivs, openFiles, mark, cgroups, onLine };
  const program = { path, arguments: [], folder: root, ...terms };
  const done = await runOnce(program, { limitMs: FIRST_RUN_MS, signal });
  if (done.ok) return undefined;
  const { blame, reason } = done.error;
  return { reason: `its first run failed: ${reason}`, blame, isFirstRun: true };
}
