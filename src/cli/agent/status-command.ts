import { readFileSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { marked, runIdOf, type MarkedProcess } from '../../agent/process/process-table.ts';
import { runningVersion } from '../../agent/launcher/launcher-folder.ts';
import { AGENT_ROW, installedAgent } from '../../agent/self-update.ts';
import { SERVER } from '../../agent/server.ts';
import type { Activation } from '../../core/machine/activation.ts';
import type { OpenAction } from '../../core/plan/committed-action.ts';
import type { LoggedDecision } from '../../core/plan/logged-decisions.ts';
import type { MachineMemory, QuarantineEntry } from '../../core/plan/machine-memory.ts';
import { excerpt } from '../../core/text/quote.ts';
import type { TimeContext } from '../../core/text/time-words.ts';
import type { Delivery } from '../../logs/log-queue.ts';
import { isPolled } from '../../store/claim.ts';
import { activationsIn } from '../../store/activations.ts';
import type { MachineFile } from '../../store/index.ts';
import { machineStateIn } from '../../store/machine-state.ts';
import { describeChange, describeFailures, openAsJson } from '../../host/open-action.ts';
import { usingFile } from '../../host/open-state.ts';
import { quarantineAsJson, quarantineTable } from '../machine/quarantine-table.ts';
import { timesOn } from '../../host/time-zones.ts';
import { waitingNotes } from '../../host/waiting-reports.ts';
import { jsonLine } from '../base/answer-json.ts';
import { columnsOf } from '../base/columns.ts';
import { failed, type Outcome } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import { logAsJson, logDelivery, logLineOf } from './log-status.ts';
import { restartRequired } from './agent-event-words.ts';
import { noAgent } from './no-agent.ts';
import {
  describeFailing,
  failuresAsJson,
  keyOf,
  recentFailures,
} from '../../host/recent-failures.ts';
import { versionInUse } from '../../host/version-in-use.ts';

/** A module as it is on this machine now. */
export interface ModuleStatus {
  readonly name: string;
  /** Whether the config had its entry in the last round. */
  readonly isConfigured: boolean;
  /** The version in use, or the one on trial; undefined if none is installed. */
  readonly version: string | undefined;
  readonly phase: Activation['phase'] | undefined;
  /** The first of its processes; undefined if it has none, or if they belong to a user whose processes are hidden. */
  readonly pid: number | undefined;
  readonly memory: number;
  /** The decision of the last round, if the config had its entry. */
  readonly decision: LoggedDecision | undefined;
  /** The action that is under way, or is delivered next. */
  readonly open: OpenAction | undefined;
}

/** What this machine has before an agent has run. */
const NOTHING = {
  isRunning: false,
  trouble: undefined,
  agent: undefined,
  modules: [],
  failures: new Map<string, never>(),
  quarantine: [],
  log: undefined,
};

interface AgentStatus {
  readonly isRunning: boolean;
  /** What was wrong in the last round, such as a document that cannot be read. */
  readonly trouble: string | undefined;
  readonly modules: readonly ModuleStatus[];
  readonly quarantine: readonly QuarantineEntry[];
  /** The versions of an agent that installs its own releases; undefined for another one. */
  readonly agent: { readonly running: string; readonly installed: string } | undefined;
  /** How far the log was sent, if the policy names a collector. */
  readonly log: Delivery | undefined;
  /** The versions that failed several times lately. */
  readonly failures: ReturnType<typeof recentFailures>;
  readonly times: (moduleId: string) => TimeContext;
  /** A note if reports wait. */
  readonly waiting: readonly string[];
}

/** `modreg agent status`: what the agent runs, and what it does about each module. */
export function agentStatusCommand({ json }: { readonly json?: true }, world: World): Outcome {
  const read = usingFile(world, 'read', (file) => statusIn(file, world));
  if (!read.ok && !read.error.isAbsent) return failed(read.error);
  if (!read.ok) {
    const { head, note } = noAgent(read.error.message);
    return { answer: [json ? asJson(NOTHING) : head], notes: [note], problems: [] };
  }
  const { isRunning, agent, modules, quarantine, log, times, trouble } = read.value;
  const restart = whyRestart(agent);
  const notes = [
    ...(isRunning ? [] : ['no agent is running']),
    ...(trouble === undefined ? [] : [trouble]),
    ...(restart === undefined ? [] : [restart]),
    ...read.value.waiting,
  ];
  if (json) return { answer: [asJson(read.value)], notes, problems: [] };
  const sent = log ? ['', logLineOf(log)] : [];
  if (modules.length === 0) {
    return { answer: ['the agent has decided on no module yet', ...sent], notes, problems: [] };
  }
  const now = world.clock();
  const rows = modules.map((one) => [
    excerpt(one.name),
    one.version === undefined ? '-' : excerpt(one.version),
    stateOf(one),
    one.pid === undefined ? '-' : String(one.pid),
    one.pid === undefined ? '-' : `${Math.round(one.memory / MEGABYTE)} MB`,
    updateOf(one, now),
  ]);
  const heads = ['MODULE', 'VERSION', 'STATE', 'PROCESS', 'MEMORY', 'UPDATE'];
  const line = columnsOf(heads, rows, world.columns);
  const quarantined = quarantineTable(quarantine, { times, columns: world.columns });
  const below = [
    ...failingLines(read.value),
    ...(quarantined.length === 0 ? [] : ['', QUARANTINE_HEAD, ...quarantined]),
  ];
  return { answer: [...[heads, ...rows].flatMap(line), ...below, ...sent], notes, problems: [] };
}

const QUARANTINE_HEAD =
  'In quarantine (modreg quarantine lift MODULE VERSION lets one be selected again):';
const MEGABYTE = 1e6;

/** A line for each module whose version in use does not stay up. */
function failingLines({ modules, failures }: AgentStatus): string[] {
  const lines = modules.flatMap(({ name, version }) => {
    const failing = failures.get(keyOf(name, version));
    return failing ? [describeFailing(name, version, failing)] : [];
  });
  return lines.length === 0 ? [] : ['', ...lines];
}

/** Why the agent must be restarted; undefined if it need not be. */
function whyRestart(agent: AgentStatus['agent']): string | undefined {
  return agent && agent.installed !== agent.running ? restartRequired(agent) : undefined;
}

function stateOf({ isConfigured, phase, pid }: ModuleStatus): string {
  if (!isConfigured) return pid === undefined ? 'not in the config' : 'ending';
  if (phase === 'trying') return 'on trial';
  if (phase === 'rolling-back') return 'rolling back';
  if (pid !== undefined) return 'running';
  return phase === undefined ? 'not installed' : 'not running';
}

/** What the agent does about the module: `upgrade to 1.2.9 under way`, `up-to-date`. */
function updateOf({ open, decision }: ModuleStatus, now: number): string {
  if (!open) return decision ? decisionText(decision) : '-';
  const { action, state, failures } = open;
  const change = describeChange(action);
  if (state === 'delivered') return `${change} under way`;
  return failures === 0 ? `${change} is next` : `${change} ${describeFailures(open, now)}`;
}

/** The reason is shown where something is to be done. */
function decisionText({ decision, reason }: LoggedDecision): string {
  return decision === 'stuck' || decision === 'hold' ? `${decision}: ${reason}` : decision;
}

function asJson({
  isRunning,
  agent,
  modules,
  failures,
  quarantine,
  log,
  trouble,
}: Omit<AgentStatus, 'times' | 'waiting'>): string {
  return jsonLine({
    schema: 'modreg/agent-status@1',
    running: isRunning,
    trouble: trouble ?? null,
    agent: agent ? { ...agent, restart_required: whyRestart(agent) ?? null } : null,
    modules: modules.map(({ name, isConfigured, version, phase, pid, memory, ...rest }) => ({
      name,
      configured: isConfigured,
      version: version ?? null,
      phase: phase ?? null,
      pid: pid ?? null,
      memory,
      decision: rest.decision?.decision ?? null,
      reason: rest.decision?.reason ?? null,
      action: openAsJson(rest.open),
      failures: failuresAsJson(failures.get(keyOf(name, version))),
    })),
    quarantine: quarantine.map(quarantineAsJson),
    log: logAsJson(log),
  });
}

function statusIn(file: MachineFile, world: World): AgentStatus {
  const state = machineStateIn(file);
  const { quarantine } = state.memory();
  const modules = modulesIn(file);
  const { round, pid } = state.poller();
  const times = timesOn(state, world);
  const log = logDelivery(file.path);
  const trouble = round?.trouble;
  const isRunning = isPolled(file.path);
  const agent = isRunning ? agentVersions(file, pid) : undefined;
  const failures = recentFailures(file.path, 'read', world.clock());
  const waiting = waitingNotes(file);
  return { isRunning, trouble, agent, modules, failures, quarantine, log, times, waiting };
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
  const processes = marked(`${runIdOf(realpathSync(dirname(file.path)))}/`);
  activations.delete(AGENT_ROW);
  const names = new Set([...decisions.keys(), ...activations.keys()]);
  return Array.from(names, (name) => {
    const own = pidsOf(name, processes);
    const activation = activations.get(name)?.activation;
    return {
      name,
      isConfigured: decisions.has(name),
      version: activation && versionInUse(activation),
      phase: activation?.phase,
      pid: own[0],
      memory: own.reduce((sum, pid) => sum + residentBytes(pid), 0),
      decision: decisions.get(name),
      open: open.find(({ action: { target } }) => target.name === name),
    };
  });
}

/** The versions of the agent with this process. */
function agentVersions(file: MachineFile, pid: number | undefined): AgentStatus['agent'] {
  const home = realpathSync(dirname(file.path));
  const running = runningVersion(home, pid);
  return running === undefined
    ? undefined
    : { running, installed: installedAgent(file, home) ?? running };
}

/** Whether the agent runs the server: only then its deployed version is known. */
function isServerRun(memory: MachineMemory): boolean {
  return memory.of({ kind: 'subsystem', name: SERVER }).deployed.kind !== 'unknown';
}

/** The ids of the processes of a module, the lowest first. */
export function pidsOf(name: string, processes: readonly MarkedProcess[]): number[] {
  const own = processes.filter(({ mark }) => mark.startsWith(`${name}/`));
  return own.map(({ pid }) => pid).toSorted((a, b) => a - b);
}

/** The memory of a process that is in use, in bytes; 0 if it has ended. */
function residentBytes(pid: number): number {
  try {
    const [, kilobytes] =
      /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(kilobytes ?? 0) * 1024;
  } catch {
    return 0;
  }
}
