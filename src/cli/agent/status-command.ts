import type { LoggedDecision } from '../../core/plan/logged-decisions.ts';
import { YANKED } from '../../core/explanation/shown-decision.ts';
import { describeYanked } from '../../core/explanation/words.ts';
import { excerpt } from '../../core/text/quote.ts';
import { failed, type Outcome } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import { downloadedWords } from '../../host/downloaded.ts';
import { describeChange } from '../../core/plan/open-action-words.ts';
import { shownWord } from '../../core/plan/waiting-for-age.ts';
import { describeFailures, openAsJson } from '../../host/open-action.ts';
import { describeFailing, failuresAsJson, keyOf } from '../../host/recent-failures.ts';
import { holdAsJson } from '../../host/requests/hold-words.ts';
import { quarantineAsJson } from '../../host/requests/request-documents.ts';
import {
  agentStatusOn,
  type AgentStatus,
  type ModuleStatus,
} from '../../host/status/agent-status.ts';
import { jsonLine } from '../base/answer-json.ts';
import { columnsOf } from '../base/columns.ts';
import { HOLDS_HEAD, holdsTable } from '../machine/holds-table.ts';
import { QUARANTINE_HEAD, quarantineTable } from '../machine/quarantine-table.ts';
import { restartRequired } from './agent-event-words.ts';
import { logAsJson, logLineOf } from './log-status.ts';
import { noAgent } from './no-agent.ts';

/** What this machine has before an agent has run. */
const NOTHING = {
  isRunning: false,
  trouble: undefined,
  agent: undefined,
  modules: [],
  failures: new Map<string, never>(),
  quarantine: [],
  holds: [],
  log: undefined,
};

/** `modreg agent status`: what the agent runs, and what it does about each module. */
export function agentStatusCommand({ json }: { readonly json?: true }, world: World): Outcome {
  const read = agentStatusOn(world);
  if (!read.ok && !read.error.isAbsent) return failed(read.error);
  if (!read.ok) {
    const { head, note } = noAgent(read.error.message);
    return { answer: [json ? asJson(NOTHING) : head], notes: [note], problems: [] };
  }
  const { isRunning, agent, modules, log, trouble } = read.value;
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
  const below = [...failingLines(read.value), ...refusedLines(read.value, world)];
  return { answer: [...[heads, ...rows].flatMap(line), ...below, ...sent], notes, problems: [] };
}

const MEGABYTE = 1e6;

/** What operators hold, and what is in quarantine. */
function refusedLines({ holds, quarantine, times }: AgentStatus, { columns }: World): string[] {
  const held = holdsTable(holds, { times: times(''), columns });
  const quarantined = quarantineTable(quarantine, { times, columns });
  return [
    ...(held.length === 0 ? [] : ['', HOLDS_HEAD, ...held]),
    ...(quarantined.length === 0 ? [] : ['', QUARANTINE_HEAD, ...quarantined]),
  ];
}

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

/** What the agent does about the module: `upgrade to 1.2.9 under way`, `up to date`. */
function updateOf({ open, decision, downloaded }: ModuleStatus, now: number): string {
  const there = downloaded === undefined ? '' : `; ${downloadedWords(downloaded)}`;
  if (!open) return decision ? `${decisionText(decision)}${there}` : '-';
  const { action, state, failures } = open;
  const change = describeChange(action);
  if (state === 'delivered') return `${change} under way`;
  return failures === 0 ? `${change} is next` : `${change} ${describeFailures(open, now)}`;
}

/** The reason is shown where something is to be done. */
function decisionText(logged: LoggedDecision): string {
  const { decision, reason, deployedYanked } = logged;
  const word = shownWord(logged);
  if (word === YANKED && deployedYanked) {
    const { because, stays = 'stays' } = deployedYanked;
    return `${describeYanked(because)}; it ${stays}`;
  }
  return decision === 'stuck' || decision === 'hold' ? `${word}: ${reason}` : word;
}

function asJson({
  isRunning,
  agent,
  modules,
  failures,
  quarantine,
  holds,
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
      downloaded: rest.downloaded ?? null,
      action: openAsJson(rest.open),
      failures: failuresAsJson(failures.get(keyOf(name, version))),
    })),
    quarantine: quarantine.map(quarantineAsJson),
    holds: holds.map(holdAsJson),
    log: logAsJson(log),
  });
}
