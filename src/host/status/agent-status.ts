import { runningVersion } from '../../agent/launcher/launcher-folder.ts';
import { AGENT_ROW, installedAgent } from '../../agent/self-update.ts';
import { SERVER } from '../../agent/server.ts';
import type { Result } from '../../core/index.ts';
import type { Activation } from '../../core/machine/activation.ts';
import type { OpenAction } from '../../core/plan/committed-action.ts';
import type { LoggedDecision } from '../../core/plan/logged-decisions.ts';
import type { MachineMemory, QuarantineEntry } from '../../core/plan/machine-memory.ts';
import type { TimeContext } from '../../core/text/time-words.ts';
import type { Delivery } from '../../logs/log-queue.ts';
import { activationsIn } from '../../store/activations.ts';
import { isPolled } from '../../store/claim.ts';
import type { MachineFile } from '../../store/index.ts';
import { machineStateIn } from '../../store/machine-state.ts';
import type { World } from '../../base/world.ts';
import { clockReading } from '../clock-reading.ts';
import { earlierDataNotes } from '../module-data.ts';
import { downloadedIn } from '../downloaded.ts';
import { withFullDisk } from '../full-disk-words.ts';
import { logDelivery } from '../machine-log.ts';
import { usingFile, type StateProblem } from '../open-state.ts';
import { recentFailures } from '../recent-failures.ts';
import { siteNotes } from '../served/site-notes.ts';
import { holdsIn, type HoldInForce } from '../requests/holds.ts';
import { timesOn } from '../time-zones.ts';
import { moduleProcesses } from './module-processes.ts';
import { versionInUse } from '../version-in-use.ts';
import { homeOf } from '../home-of.ts';
import { waitingNotes } from '../waiting-reports.ts';

/** A module as it is on this machine now. */
export interface ModuleStatus {
  readonly name: string;
  /** Whether the config had its entry in the last round. */
  readonly isConfigured: boolean;
  /** The version in use, or the one on trial; undefined if none is installed. */
  readonly version: string | undefined;
  readonly phase: Activation['phase'] | undefined;
  /** The process that the others descend from; undefined if it has none, or if they belong to a user whose processes are hidden. */
  readonly pid: number | undefined;
  readonly memory: number;
  /** The decision of the last round, if the config had its entry. */
  readonly decision: LoggedDecision | undefined;
  /** The version that is held and whose package is there; undefined if there is none (D78). */
  readonly downloaded: string | undefined;
  /** The action that is under way, or is delivered next. */
  readonly open: OpenAction | undefined;
}

/** What the agent of this machine runs, and what it does about each module. */
export interface AgentStatus {
  readonly isRunning: boolean;
  /** What was wrong in the last round, such as a document that cannot be read. */
  readonly trouble: string | undefined;
  readonly modules: readonly ModuleStatus[];
  readonly quarantine: readonly QuarantineEntry[];
  /** What operators hold. */
  readonly holds: readonly HoldInForce[];
  /** The versions of an agent that installs its own releases; undefined for another one. */
  readonly agent: { readonly running: string; readonly installed: string } | undefined;
  /** How far the log was sent, if the policy names a collector. */
  readonly log: Delivery | undefined;
  /** The versions that failed several times lately. */
  readonly failures: ReturnType<typeof recentFailures>;
  readonly times: (moduleId: string) => TimeContext;
  /** Notes about the documents that a site serves (D266), reports that wait, and data that modules kept elsewhere (T341). */
  readonly waiting: readonly string[];
}

/** The status of the agent. The error is `isAbsent` if none has run here. */
export function agentStatusOn(world: World): Result<AgentStatus, StateProblem> {
  return usingFile(world, 'read', (file) => statusIn(file, world));
}

function statusIn(file: MachineFile, world: World): AgentStatus {
  const state = machineStateIn(file);
  const { quarantine } = state.memory();
  const holds = holdsIn(state, clockReading(world));
  const modules = modulesIn(file);
  const { round, pid } = withFullDisk(state.poller(), file.path);
  const times = timesOn(state, world);
  const log = logDelivery(file.path);
  const trouble = round?.trouble;
  const isRunning = isPolled(file.path);
  const agent = isRunning ? agentVersions(file, pid) : undefined;
  const failures = recentFailures(file.path, 'read', world.clock());
  const waiting = [...siteNotes(file), ...waitingNotes(file), ...earlierDataNotes(file, world)];
  const known = { isRunning, trouble, agent, modules, failures, quarantine, holds };
  return { ...known, log, times, waiting };
}

/** The modules that the agent has decided on, or runs. */
export function modulesIn(file: MachineFile): readonly ModuleStatus[] {
  const state = machineStateIn(file);
  const { open } = state.memory();
  const activations = new Map(activationsIn(file));
  const isServed = isServerRun(state.memory());
  const decisions = new Map(
    state
      .decisions()
      .filter(({ kind, name }) => kind === 'module' || (isServed && name === SERVER))
      .map((one) => [one.name, one]),
  );
  const home = homeOf(file);
  const processes = moduleProcesses(home);
  activations.delete(AGENT_ROW);
  const names = new Set([...decisions.keys(), ...activations.keys()]);
  return Array.from(names, (name) => {
    const running = processes.get(name);
    const activation = activations.get(name)?.activation;
    const decision = decisions.get(name);
    const version = activation && versionInUse(activation);
    return {
      name,
      isConfigured: decisions.has(name),
      version,
      phase: activation?.phase,
      pid: running?.pid,
      memory: running?.memory ?? 0,
      decision,
      downloaded: decision?.target === version ? undefined : downloadedIn(home, decision),
      open: open.find(({ action: { target } }) => target.name === name),
    };
  });
}

/** The versions of the agent with this process. */
function agentVersions(file: MachineFile, pid: number | undefined): AgentStatus['agent'] {
  const home = homeOf(file);
  const running = runningVersion(home, pid);
  return running === undefined
    ? undefined
    : { running, installed: installedAgent(file, home) ?? running };
}

/** Whether the agent runs the server: only then its deployed version is known. */
function isServerRun(memory: MachineMemory): boolean {
  return memory.of({ kind: 'subsystem', name: SERVER }).deployed.kind !== 'unknown';
}
