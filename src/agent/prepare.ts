import { existsSync, writeFileSync } from 'node:fs';
import type { Fault } from '../core/machine/activation.ts';
import type { Result } from '../core/text/result.ts';
import { installPackage, nameOf, type InstallOrder } from './install/install-package.ts';
import type { Package } from './install/package.ts';
import type { InstallTurns } from './install/turns.ts';
import type { OutputLine } from './process/program-output.ts';
import { whyClosed, type RunAs } from './process/run-as.ts';
import { runOnce } from './process/run-once.ts';

/** How long a package's first run may take. */
const FIRST_RUN_MS = 15 * 60_000;

export interface Preparation extends InstallOrder {
  readonly turns: InstallTurns;
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
  const { artifact, root, turns } = order;
  // Two entries of one module, or two modules, may have the same file.
  return await turns.ofFile(artifact ? nameOf(artifact) : root, async () => await ready(order));
}

async function ready(order: Preparation): Promise<Result<Package, Fault>> {
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
  const done = await runOnce(program, { limitMs: FIRST_RUN_MS, signal });
  if (done.ok) return undefined;
  const { blame, reason } = done.error;
  return { reason: `its first run failed: ${reason}`, blame };
}
