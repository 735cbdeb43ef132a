import { dirname } from 'node:path';
import { moduleEnvironment } from '../config/module-environment.ts';
import { unreadVariable } from '../config/unread-variable.ts';
import type { Platform } from '../core/index.ts';
import type { Fault, Installed } from '../core/machine/activation.ts';
import type { ModuleEntry } from '../core/machine/machine.ts';
import type { UpdateTerms } from '../core/machine/update-policy.ts';
import { SUBSYSTEM_MODULES } from '../core/plan/subsystem.ts';
import type { Result } from '../core/text/result.ts';
import { whyNoData, whyNotHandedOver } from './data-folder.ts';
import { META } from './install/manifest.ts';
import { readPackage } from './install/package.ts';
import { dataFolder } from './module-data.ts';
import type { Runnable } from './module-process.ts';
import { openFilesOf } from './process/open-files.ts';
import { runAsOf, whyClosed } from './process/run-as.ts';
import { notStarted, whyNotRunnable } from './process/runnable.ts';

/** The machine, as far as its modules depend on it. */
export interface ModuleSite {
  readonly home: string;
  readonly machineId: string;
  readonly platform: Platform;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly secretOf?: Parameters<typeof moduleEnvironment>[1]['secretOf'];
}

const DEFAULT_STOP_MS = 10_000;
/** The server ends what it has begun. */
const SERVER_STOP_MS = 90_000;
const DEFAULT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
/** What names the probe of a module, in words. */
const POLICY_READY = 'ready in the update policy';
/** The field of a local module that names its program. */
const LOCAL_PROGRAM = 'executable_path';

/** The program of a local module; undefined if its entry names none. */
export function localProgram(entry: ModuleEntry): string | undefined {
  const path = entry.extra[LOCAL_PROGRAM];
  return entry.type === 'local' && typeof path === 'string' && path.startsWith('/')
    ? path
    : undefined;
}

interface MachineTerms {
  readonly terms: UpdateTerms;
  readonly site: ModuleSite;
}

/** How an installed version of an entry is run, or why it cannot be. Its data belong to its user then. */
export function runnableFor(
  entry: ModuleEntry,
  run: Installed,
  machine: MachineTerms,
): Result<Runnable, Fault> {
  const found = foundRunnable(entry, run, machine);
  if (!found.ok) return found;
  const why = whyNotHandedOver(dataFolder(machine.site, entry.name), found.value.runAs);
  return why === undefined ? found : impossibleHere(why);
}

function foundRunnable(
  entry: ModuleEntry,
  { root }: Installed,
  { terms, site }: MachineTerms,
): Result<Runnable, Fault> {
  const { run } = terms;
  const user = runAsOf(run.runAs);
  if (!user.ok) return impossibleHere(user.error);
  const closed = whyClosed(root, user.value) ?? whyNoData(dataFolder(site, entry.name), user.value);
  if (closed !== undefined) return impossibleHere(closed);
  const environment = environmentFor(entry, root, { terms, site });
  if (!environment.ok) return environment;
  const { noNewPrivs } = run;
  const openFiles = openFilesOf(site.environment);
  const common = { environment: environment.value, runAs: user.value, noNewPrivs, openFiles };
  const program =
    entry.type === 'local' ? localRun(root, run) : packagedRun(entry, root, { run, site });
  return program.ok ? { ok: true, value: { ...common, ...program.value } } : program;
}

/** Why an installed version could not be started now; undefined if it could. Another one may run, and has the data. */
export function whyNotStarted(
  entry: ModuleEntry,
  run: Installed,
  machine: MachineTerms,
): Fault | undefined {
  const found = foundRunnable(entry, run, machine);
  if (!found.ok) return found.error;
  const { path, environment, folder } = found.value;
  const why = whyNotRunnable(path, environment['PATH'], folder);
  return why && notStarted(why);
}

type Run = Omit<Runnable, 'environment' | 'runAs' | 'noNewPrivs' | 'openFiles'>;

function localRun(
  path: string,
  { command, ready, stopMs }: UpdateTerms['run'],
): Result<Run, Fault> {
  const [, ...args] = command ?? [path];
  const value = {
    path,
    arguments: args,
    folder: dirname(path),
    ready: ready ?? ({ kind: 'none' } as const),
    readyBy: POLICY_READY,
    stopMs: stopMs ?? DEFAULT_STOP_MS,
  };
  return { ok: true, value };
}

function packagedRun(
  { moduleId }: ModuleEntry,
  root: string,
  { run, site: { platform } }: { readonly run: UpdateTerms['run']; readonly site: ModuleSite },
): Result<Run, Fault> {
  const read = readPackage(root, { command: run.command, platform });
  if (!read.ok) return read;
  const { entryPoint, arguments: args, ready, stopTimeoutMs } = read.value;
  const isServer = moduleId === SUBSYSTEM_MODULES['platform-server'];
  const defaultStopMs = isServer ? SERVER_STOP_MS : DEFAULT_STOP_MS;
  const value = {
    path: entryPoint,
    arguments: args,
    folder: root,
    ready: run.ready ?? ready,
    readyBy: run.ready ? POLICY_READY : `ready in the package's ${META}`,
    stopMs: run.stopMs ?? stopTimeoutMs ?? defaultStopMs,
  };
  return { ok: true, value };
}

/** The variables of a module: PATH, HOME and LANG, then its own. Never the agent's. */
export function environmentFor(
  entry: ModuleEntry,
  root: string,
  { terms, site }: { readonly terms: UpdateTerms; readonly site: ModuleSite },
): Result<Readonly<Record<string, string>>, Fault> {
  const { home, machineId, environment, secretOf } = site;
  const own = moduleEnvironment(entry, {
    environment: { ...environment, PLATFORM_HOME: home },
    machineId,
    moduleRoot: entry.type === 'registry' ? root : undefined,
    envAllow: terms.envAllow,
    secretOf,
  });
  if (!own.ok) return impossibleHere(own.error.map(unreadVariable).join('; '));
  const { PATH = DEFAULT_PATH, LANG = 'C.UTF-8' } = environment;
  const data = dataFolder(site, entry.name);
  return { ok: true, value: { PATH, LANG, HOME: data, ...own.value } };
}

/** The result of a failure that is the machine's, not the release's. */
export function impossibleHere(reason: string): { readonly ok: false; readonly error: Fault } {
  return { ok: false, error: { reason, blame: 'machine' } };
}
