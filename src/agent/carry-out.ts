import type { Activation, Fault, Installed } from '../core/machine/activation.ts';
import type { Delivery } from '../poller/index.ts';
import type { Clock } from '../registry/index.ts';
import { DatabaseError } from '../store/index.ts';
import type { AgentOptions } from './agent-options.ts';
import type { AgentEvent } from './event.ts';
import type { InstallTurns } from './install/turns.ts';
import type { Modules } from './modules.ts';
import { settledEnd, type Outcomes } from './outcomes.ts';
import { prepared, type Preparation } from './prepare.ts';
import { runAsOf } from './process/run-as.ts';
import { environmentFor, runnableFor, type ModuleSite } from './runnable.ts';
import type { ActionEnd, SupervisedModule } from './supervised-module.ts';

export interface Execution {
  readonly modules: Modules;
  readonly outcomes: Outcomes;
  readonly site: ModuleSite;
  readonly clock: Clock;
  readonly fetch: NonNullable<AgentOptions['fetch']>;
  readonly turns: InstallTurns;
  readonly runId: string;
  readonly onEvent: (event: AgentEvent) => void;
  readonly onLine: NonNullable<AgentOptions['onLine']>;
  /** Aborts when the agent ends. */
  readonly stopping: AbortSignal;
}

const EXTEND_EVERY_MS = 60_000;
/** Each part of the work has a limit of its own. */
const EXTEND_BY_MS = 30 * 60_000;

/**
 * Carries out a delivered action and reports its outcome. If the agent ends first, nothing is reported: the next agent
 * gets the action again, and goes on where this one was.
 */
export async function carryOut(delivery: Delivery, execution: Execution): Promise<void> {
  const { stopping, clock } = execution;
  const over = new AbortController();
  const signal = AbortSignal.any([stopping, over.signal]);
  void extending(delivery, clock, signal);
  try {
    const end = await endOf(delivery, execution);
    if (end.command === 'done') await delivery.done();
    else await delivery.failed(end);
  } catch (error) {
    // The action is delivered to the next agent, or was withdrawn.
    if (!stopping.aborted && !delivery.signal.aborted) throw error;
  } finally {
    over.abort(new Error('the action has ended'));
  }
}

async function extending(delivery: Delivery, clock: Clock, signal: AbortSignal): Promise<void> {
  try {
    for (;;) {
      delivery.extend(EXTEND_BY_MS);
      await clock.sleep(EXTEND_EVERY_MS, signal);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

async function endOf(delivery: Delivery, execution: Execution): Promise<ActionEnd> {
  const { modules, outcomes } = execution;
  const { id: action, target, direction } = delivery.action;
  const module = modules.of(target.name);
  const row = modules.activation(target.name);
  const failed = ({ reason, blame }: Fault): ActionEnd => {
    const running =
      row && 'current' in row ? row.current.version : (row?.previous?.version ?? null);
    return { command: 'fail', action, running, reason, blame };
  };
  const machine = (reason: string): ActionEnd => failed({ reason, blame: 'machine' });
  if (target.kind === 'subsystem') return machine('modreg agent does not replace subsystems');
  if (!module) return machine('its entry is no longer in the config');
  const settled = settledEnd(row, action);
  if (settled) return settled;
  // An earlier agent began it, and this one goes on with it.
  if (row?.phase !== 'stable' && row?.action === action) return await outcomes.of(action);
  if (direction === 'restart') {
    const wrong = whyNotStarted(delivery, row, execution);
    if (wrong) return failed(wrong);
    const isBegun = module.send({ event: 'restart', action });
    return isBegun
      ? await outcomes.of(action)
      : machine('it has no version that could be restarted');
  }
  const ready = await readied(delivery, execution);
  if ('reason' in ready) return failed(ready);
  return (
    (await activated(delivery, { module, candidate: ready }, execution)) ??
    machine('another change of the module is under way')
  );
}

/** Why the version in use could not be started again now: then its process is not ended. */
function whyNotStarted(
  { entry, terms }: Delivery,
  row: Activation | undefined,
  { site }: Execution,
): Fault | undefined {
  if (!entry || row?.phase !== 'stable') return undefined;
  const found = runnableFor(entry, row.current, { terms, site });
  return found.ok ? undefined : found.error;
}

/** Prepares the version, while the one before it runs. */
async function readied(delivery: Delivery, execution: Execution): Promise<Installed | Fault> {
  const { action, entry, folders, terms } = delivery;
  const { root } = folders;
  if (root === undefined || !entry) {
    const reason = `${action.to} is not a version, and cannot be installed`;
    return { reason, blame: 'machine' };
  }
  const environment = environmentFor(entry, root, { terms, site: execution.site });
  const runAs = runAsOf(terms.run.runAs);
  if (!environment.ok) return environment.error;
  if (!runAs.ok) return { reason: runAs.error, blame: 'machine' };
  const order = {
    ...orderFor(delivery, execution),
    root,
    environment: environment.value,
    runAs: runAs.value,
  };
  const result = await prepared(order);
  return result.ok ? { version: action.to, root } : result.error;
}

function orderFor(
  { action, terms, signal, progress }: Delivery,
  { site, runId, fetch, turns, onEvent, onLine, stopping }: Execution,
): Omit<Preparation, 'root' | 'environment' | 'runAs'> {
  const { name } = action.target;
  const { allowHttp, requireDigest, run } = terms;
  return {
    artifact: action.artifact,
    home: site.home,
    platform: site.platform,
    command: run.command,
    fetch: { ...fetch(terms), allowHttp, requireDigest },
    signal: AbortSignal.any([signal, stopping]),
    turns,
    onStep: (step) => {
      const { bytes, total = 0 } = step.kind === 'downloading' ? step : { bytes: 0 };
      if (total > 0) progress(Math.min(1, bytes / total));
      onEvent({ kind: 'installing', name, version: action.to, step });
    },
    mark: `${runId}/${name}/first-run/`,
    onLine: (line) => onLine(name, line),
  };
}

/** Replaces the version in use, while what depends on the module is held. Undefined if the module cannot be changed now. */
async function activated(
  { action, rollback }: Delivery,
  { module, candidate }: { readonly module: SupervisedModule; readonly candidate: Installed },
  { modules, outcomes }: Execution,
): Promise<ActionEnd | undefined> {
  const { id, target, restart } = action;
  const dependents = modules.namesOf(restart.stops, target.name);
  try {
    for (const name of dependents) await modules.hold(name, id);
    const restorable = rollback?.root;
    if (!module.send({ event: 'activate', action: id, candidate, restorable })) return undefined;
    return await outcomes.of(id);
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    return undefined;
  } finally {
    for (const name of dependents.toReversed()) modules.release(name, id);
  }
}
