import { existsSync, writeFileSync } from 'node:fs';
import type { Fault } from '../core/machine/activation.ts';
import type { Result } from '../core/text/result.ts';
import { installPackage, type InstallOrder } from './install/install-package.ts';
import type { Package } from './install/package.ts';
import { describeEnd } from './module-process.ts';
import { launch } from './process/launch.ts';
import type { OutputLine } from './process/output-lines.ts';
import { whyClosed, type RunAs } from './process/run-as.ts';

/** How long a package's first run may take. */
const FIRST_RUN_MS = 15 * 60_000;

export interface Preparation extends InstallOrder {
  readonly environment: Readonly<Record<string, string>>;
  readonly runAs: RunAs | undefined;
  readonly mark: string;
  readonly onLine: (line: OutputLine) => void;
}

/**
 * Makes a version ready to be started, while another one may run: installed, and its first run done once. Rejects with the
 * reason of `signal`.
 */
export async function prepared(order: Preparation): Promise<Result<Package, Fault>> {
  const installed = await installPackage(order);
  if (!installed.ok || installed.value.firstRun === undefined) return installed;
  const closed = whyClosed(order.root, order.runAs);
  if (closed !== undefined) return { ok: false, error: { reason: closed, blame: 'machine' } };
  const done = `${order.root}.first-run`;
  if (existsSync(done)) return installed;
  const fault = await firstRun(installed.value.firstRun, order);
  if (fault) return { ok: false, error: fault };
  writeFileSync(done, '');
  return installed;
}

/** Runs a program of the package once. It may run again if the machine stops meanwhile. */
async function firstRun(
  path: string,
  { root, environment, runAs, mark, onLine, signal }: Preparation,
): Promise<Fault | undefined> {
  const program = { path, arguments: [], folder: root, environment, runAs, mark, onLine };
  const launched = await launch(program);
  if (!launched.ok) return failed(`it cannot be started: ${launched.error}`);
  const late = AbortSignal.timeout(FIRST_RUN_MS);
  const over = AbortSignal.any([signal, late]);
  const { promise, resolve } = Promise.withResolvers<undefined>();
  over.addEventListener('abort', () => resolve(undefined), { once: true });
  const end = await Promise.race([launched.value.ended, promise]);
  await launched.value.stop(0);
  signal.throwIfAborted();
  if (!end) return failed(`it took longer than ${FIRST_RUN_MS / 60_000} min`);
  const isDone = end.kind === 'exited' && end.code === 0;
  return isDone ? undefined : failed(describeEnd(end));
}

function failed(how: string): Fault {
  return { reason: `its first run failed: ${how}`, blame: 'release' };
}
