import type { Activation, Fault, Installed } from '../core/machine/activation.ts';
import { moduleOf } from '../core/plan/target.ts';
import type { Delivery } from '../poller/index.ts';
import type { Clock } from '../registry/clock.ts';
import { DatabaseError, type ClaimedFile } from '../store/index.ts';
import type { Modules } from './modules.ts';
import { activationOf, forgetOutcome } from './activation.ts';
import { inherited } from './earlier-entries.ts';
import { folderOfAddress } from './install/package-store.ts';
import { settledEnd, type Outcomes } from './outcomes.ts';
import type { AgentPorts } from './ports.ts';
import { AGENT, type SelfUpdate } from './self-update.ts';
import { expectPermission, type Preparation } from './prepare.ts';
import type { ActionEnd, SupervisedModule } from './supervised-module.ts';

export interface Execution extends Preparation {
  readonly file: ClaimedFile;
  readonly ports: AgentPorts;
  readonly modules: Modules;
  readonly outcomes: Outcomes;
  /** The releases of the agent; undefined if it does not replace itself. */
  readonly selfUpdate: SelfUpdate | undefined;
  readonly clock: Clock;
}

const EXTEND_EVERY_MS = 60_000;
const LEFT = 'its entry left the config';
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
    const { kind, name } = delivery.action.target;
    const isAgent = kind === 'subsystem' && name === AGENT;
    const end = triedEnd(await (isAgent ? endOfSelfUpdate : endOf)(delivery, execution), delivery);
    if (end.command === 'done') await delivery.done();
    else {
      await delivery.failed(end);
      // It is delivered again, to be tried again.
      if (end.blame === 'machine') forgetOutcome(execution.file, delivery.action);
    }
  } catch (error) {
    // The action is delivered to the next agent, or was withdrawn.
    if (!stopping.aborted && !delivery.signal.aborted) throw error;
  } finally {
    over.abort(new Error('the action has ended'));
  }
}

/** An address has no quarantine. If none before it can be started again, it is tried again after a while (D48). */
function triedEnd(end: ActionEnd, { action: { reason } }: Delivery): ActionEnd {
  if (end.command === 'done' || reason.kind !== 'pin-url') return end;
  const isOnlyOne = end.running === null || end.blame === 'undecided';
  return isOnlyOne ? { ...end, blame: 'machine' } : end;
}

/** A fault before anything was stopped. An address has no quarantine, and another file may be there later (D48). */
function untried({ reason, blame }: Fault, { action }: Delivery): Fault {
  return { reason, blame: action.reason.kind === 'pin-url' ? 'machine' : blame };
}

function currentOf(row: Activation | undefined): Installed | undefined {
  return row?.phase === 'stable' ? row.current : undefined;
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

/** A release of the agent is installed, and used from its next start on (D71). */
async function endOfSelfUpdate(delivery: Delivery, execution: Execution): Promise<ActionEnd> {
  const { selfUpdate, onEvent } = execution;
  const { id: action, direction } = delivery.action;
  const machine = (reason: string): ActionEnd => {
    return {
      command: 'fail',
      action,
      running: selfUpdate?.installed ?? null,
      reason,
      blame: 'machine',
    };
  };
  if (!selfUpdate) return machine('modreg agent does not replace itself');
  if (direction === 'restart') return machine(`the agent does not restart itself: ${RESTART}`);
  const folders = foldersOf(delivery, execution);
  const fault = await selfUpdate.install({ ...delivery, folders }, execution);
  const { running, installed } = selfUpdate;
  if (fault) return { command: 'fail', action, running: installed, ...untried(fault, delivery) };
  onEvent({ kind: 'restart-required', installed, running });
  return { command: 'done', action };
}

const RESTART = 'systemctl restart platform-agent';

async function endOf(delivered: Delivery, execution: Execution): Promise<ActionEnd> {
  const { modules, outcomes } = execution;
  const { id: action, target, direction, to, reason } = delivered.action;
  // An entry of another module may still end under this name (D84).
  await modules.untilLeft(target.name, AbortSignal.any([delivered.signal, execution.stopping]));
  const entry = modules.entryOf(target);
  const row = entry && activationOf(execution.file, entry);
  const failed = (fault: Fault): ActionEnd => {
    const running = (currentOf(row) ?? row?.previous)?.version ?? null;
    return { command: 'fail', action, running, ...untried(fault, delivered) };
  };
  const machine = (why: string): ActionEnd => failed({ reason: why, blame: 'machine' });
  const module = entry && modules.of(entry.name);
  if (!module) return machine(LEFT);
  const delivery = { ...delivered, entry, folders: foldersOf(delivered, execution) };
  // A trial may have ended before its delivery came, and is not repeated.
  const settled = outcomes.take(action) ?? settledEnd(row, action);
  if (settled) return settled;
  // An earlier agent began it, and this one goes on with it.
  if (row?.phase !== 'stable' && row?.action === action) return await outcomes.of(action);
  if (direction === 'restart') {
    const fault = await whyNotRestarted(delivery, { module, current: currentOf(row) }, execution);
    return fault ? failed(fault) : await outcomes.of(action);
  }
  const last = row?.phase === 'stable' ? row.settled : undefined;
  if (reason.kind === 'pin-url' && last?.fault?.blame === 'release' && last.version === to) {
    // To try it again would stop all modules again (D48).
    return machine(`it did not work: ${last.fault.reason} (another address is tried)`);
  }
  const ready = await execution.ports.prepared(delivery, execution);
  if (!ready.ok) {
    // The version in use may fail for the same reason (D103).
    const fault = 'isFirstRun' in ready.error && ready.error.blame === 'release' && ready.error;
    const isShared = fault && module.send({ event: 'unprepared', action, fault });
    return isShared ? await outcomes.of(action) : failed(ready.error);
  }
  const wrong = whyNotStarted(delivery, ready.value, execution);
  if (wrong) return failed(wrong);
  const isProven = execution.file.state.isProven(target, to) || undefined;
  const candidate = { ...ready.value, isProven };
  return (
    (await activated(delivery, { module, candidate }, execution)) ??
    machine(modules.of(target.name) === module ? 'another change of the module is under way' : LEFT)
  );
}

/** Begins to restart the version in use; what is returned says why that is not possible. */
async function whyNotRestarted(
  delivery: Delivery,
  {
    module,
    current,
  }: { readonly module: SupervisedModule; readonly current: Installed | undefined },
  execution: Execution,
): Promise<Fault | undefined> {
  const wrong = current && whyNotStarted(delivery, current, execution);
  if (wrong) return wrong;
  await expectPermission(delivery, execution);
  if (module.send({ event: 'restart', action: delivery.action.id })) return undefined;
  return { reason: 'it has no version that could be restarted', blame: 'machine' };
}

/** What a `pin_url` names has a folder of its own. */
export function foldersOf(
  { action, folders }: Pick<Delivery, 'action' | 'folders'>,
  { site }: Pick<Execution, 'site'>,
): Delivery['folders'] {
  const { root = folderOfAddress(site.home, moduleOf(action.target), action.to) } = folders;
  return { ...folders, root };
}

/** Why a version could not be started now: then no process is ended for it. */
function whyNotStarted(
  { entry, terms }: Delivery,
  run: Installed,
  { ports, site }: Execution,
): Fault | undefined {
  return entry && ports.whyNotStarted(entry, run, { terms, site });
}

/** Replaces the version in use, while what depends on the module is held. Undefined if the module cannot be changed now. */
async function activated(
  delivery: Delivery,
  { module, candidate }: { readonly module: SupervisedModule; readonly candidate: Installed },
  { modules, outcomes, file, stopping, onEvent }: Execution,
): Promise<ActionEnd | undefined> {
  const { action, entry, rollback, signal } = delivery;
  const { id, target, reason } = action;
  const ending = AbortSignal.any([signal, stopping]);
  const untilFree = async (): Promise<void> => {
    while (modules.inTheWayOf(target.name).length > 0) await modules.untilFree(target.name, ending);
  };
  // The last moment at which nothing has stopped (D72).
  const begin = async (): Promise<void> => {
    await untilFree();
    await expectPermission(delivery, { onEvent });
  };
  const replace = async (hasStopped: boolean): Promise<ActionEnd | undefined> => {
    // The server may have begun to be replaced since. What waits for it and stopped nothing has not begun (D72).
    while (modules.inTheWayOf(target.name).length > 0) {
      await modules.untilFree(target.name, ending);
      if (!hasStopped) await expectPermission(delivery, { onEvent });
    }
    // Preparing takes time: its entry may have left the config, or be of another module now.
    if (modules.of(target.name) !== module) return undefined;
    const current = entry && currentOf(activationOf(file, entry));
    // No release is permitted in place of an address: what worked before is started again.
    const restorable = reason.kind === 'pin-url' ? current?.root : rollback?.root;
    const isRefused = reason.kind === 'failure' && reason.isRolledBack;
    const isBack = isRefused || action.direction === 'downgrade';
    const hasEntry = (name: string): boolean => modules.of(name) !== undefined;
    const before = entry && inherited(file, entry, { root: candidate.root, hasEntry });
    const about = { candidate, restorable, isBack, isRefused, inherited: before };
    const event = { event: 'activate', action: id, ...about } as const;
    return module.send(event) ? await outcomes.of(id) : undefined;
  };
  try {
    return await modules.whileHeld(action, { begin, replace });
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    return undefined;
  }
}
