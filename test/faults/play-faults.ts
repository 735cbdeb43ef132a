import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import {
  countsIn,
  faultsOf,
  injectedIn,
  type InjectedCall,
  type InjectedFault,
} from './injected-fault.ts';
import { runTraced, type Ended, type Traced } from './run-traced.ts';
import type { Scene } from './scene.ts';

/** What followed a fault. */
export interface Played {
  readonly fault: InjectedFault;
  readonly call: InjectedCall | undefined;
  readonly exit: string;
  readonly stderr: string;
  readonly findings: readonly string[];
  /** The folder, which is kept if there are findings. */
  readonly folder: string;
}

/** Every fault that can be injected into a scene; judges the scene without a fault. */
export async function faultsIn(scene: Scene): Promise<InjectedFault[]> {
  const folder = mkdtempSync(`${tmpdir()}/modreg-fault-`);
  const log = `${folder}/calls`;
  await scene.prepare(folder);
  const ended = await runScene(scene, folder, { fault: undefined, log });
  const findings = await scene.judge(folder, ended);
  if (findings.length > 0) {
    throw new Error(`${scene.name} fails without a fault: ${findings.join('; ')} (${folder})`);
  }
  const faults = faultsOf(countsIn(log));
  rmSync(folder, { recursive: true });
  return faults;
}

/** Selects `count` faults: each call with each error is as likely, however often the process makes the call. */
export function pickFaults(
  faults: readonly InjectedFault[],
  count: number,
  random: () => number,
): InjectedFault[] {
  const groups = [...Map.groupBy(faults, ({ call, error }) => `${call} ${error}`).values()];
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  return Array.from({ length: count }, () => pick(pick(groups)));
}

/** Plays a scene with a fault. */
export async function playFault(scene: Scene, fault: InjectedFault): Promise<Played> {
  const folder = mkdtempSync(`${tmpdir()}/modreg-fault-`);
  const log = `${folder}/calls`;
  await scene.prepare(folder);
  const ended = await runScene(scene, folder, { fault, log });
  const call = injectedIn(log);
  const findings = call?.isUnlock === true ? [] : await judged(scene, folder, ended);
  if (ended.signal === 'SIGKILL' && fault.error !== 'KILL' && call?.isUnlock !== true) {
    findings.push('it did not end within three minutes');
  }
  if (findings.length === 0) rmSync(folder, { recursive: true });
  const exit = String(ended.signal ?? ended.exit);
  return { fault, call, exit, stderr: ended.stderr, findings, folder };
}

async function runScene(
  scene: Scene,
  folder: string,
  { fault, log }: Omit<Traced, 'paths'>,
): Promise<Ended> {
  const over = new AbortController();
  const traced = { fault, paths: scene.files(folder), log };
  const ended = runTraced(scene.command(folder), traced).finally(() => over.abort());
  await scene.meanwhile?.(folder, fault, over.signal);
  return await ended;
}

async function judged(
  ...[scene, folder, ended]: [Scene, ...Parameters<Scene['judge']>]
): Promise<string[]> {
  try {
    return await scene.judge(folder, ended);
  } catch (error) {
    return [`the judge failed: ${String(error)}`];
  }
}
