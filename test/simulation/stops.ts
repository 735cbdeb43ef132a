import type { Desired } from './desired.ts';
import { runsServer } from './desired.ts';
import { rowsIn } from './host-judge.ts';
import type { ModuleProcess } from './host.ts';
import { SERVER, type Target } from './ledger.ts';
import type { World } from './world.ts';

/*
 * Why processes are stopped on a machine with modreg's own agent.
 */

/** What an entry of the config is run as, as text; undefined if it is not run. */
export function entryOf(desired: Desired | undefined, name: string): string | undefined {
  if (!desired || desired.server.isDisabled) return undefined;
  if (name === SERVER.name) return runsServer(desired) ? SERVER.moduleId : undefined;
  const entry = desired.modules.find((one) => one.name === name);
  return entry && `${entry.moduleId}${entry.isLocal ? ', local' : ''}`;
}

/** The action for which a process is tried; undefined if its version is in use. */
export function trialOf(world: World, name: string): string | undefined {
  const row = rowsIn(world).get(name);
  return row?.phase === 'trying' ? row.action : undefined;
}

/**
 * A process is stopped because it failed, because its entry left the config, because the agent ends or the server is down, or for an
 * action that may be begun now. (D72)
 */
export function judgeStop(world: World, process: ModuleProcess): void {
  const { ledger, judge } = world;
  const { name, entry, life } = process;
  const isOver = process.hasFailed || life.isEnding || entry !== entryOf(ledger.desired, name);
  if (isOver) return;
  // It stops with the server, also for an action that has just been permitted.
  if (name !== SERVER.name && isServerDown(world)) return judge.stopsWithServer(targetOf(process));
  const trial = trialOf(world, name);
  if (trial !== undefined && trial !== process.trial) judge.begins(trial);
  else judge.stops(targetOf(process));
}

/** A trial begins with the write that says so, even if nothing has to be stopped. */
export function judgeTrials(world: World): void {
  for (const { phase, action = '' } of rowsIn(world).values()) {
    if (phase === 'trying') world.judge.begins(action);
  }
}

/** What an earlier agent has begun. */
export function begunBefore(world: World): string[] {
  return [...rowsIn(world).values()].flatMap(({ action }) => action ?? []);
}

/** The modules whose processes are ending. */
export function stoppingNow({ host }: World): Target[] {
  return [...(host?.processes ?? [])].filter(({ isStopping }) => isStopping).map(targetOf);
}

function isServerDown({ host, ledger }: World): boolean {
  const isUp = [...(host?.processes ?? [])].some(
    ({ name, readyAt, isStopping }) => name === SERVER.name && readyAt !== undefined && !isStopping,
  );
  return ledger.desired !== undefined && runsServer(ledger.desired) && !isUp;
}

function targetOf({ name, entry = '' }: ModuleProcess): Target {
  const [moduleId = ''] = entry.split(',');
  return name === SERVER.name ? SERVER : { kind: 'module', name, moduleId };
}
