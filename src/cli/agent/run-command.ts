import { dirname } from 'node:path';
import { Agent } from '../../agent/agent.ts';
import { supervisedEntries } from '../../agent/server.ts';
import type { AgentConfiguration } from '../../config/index.ts';
import { termsFor } from '../../core/machine/update-policy.ts';
import type { ActionTarget } from '../../core/plan/action.ts';
import { factsOf } from '../../core/plan/plan-input.ts';
import { describeDuration } from '../../core/text/duration.ts';
import { excerpt } from '../../core/text/quote.ts';
import { DatabaseError } from '../../sqlite/database-error.ts';
import { savedListsIn, type ClaimedFile } from '../../store/index.ts';
import { claimState, stateProblem } from '../../host/open-state.ts';
import { countOf } from '../../base/count.ts';
import { timeZoneOf } from '../../config/time-zone.ts';
import type { AgentMetrics } from '../metrics/agent-metrics.ts';
import {
  measuredRegistries,
  servedLine,
  servedMetrics,
  type ServedMetrics,
} from '../metrics/served-metrics.ts';
import { documentKeeper, type StartDocuments } from '../../host/kept-documents.ts';
import type { PlanDocuments } from '../../host/plan-documents.ts';
import { listsByRegistry } from '../../host/plan-lists.ts';
import { UnreadableSite } from '../plan/polling-words.ts';
import { watchDisk } from '../poll/watched-disk.ts';
import { watchRequests } from '../poll/watched-requests.ts';
import { startReports } from '../poll/machine-reports.ts';
import { noteKeptDocuments, noteUnkept } from '../poll/note-kept-documents.ts';
import { noteDocuments } from '../poll/note-documents.ts';
import { followedStart, type FollowedDocuments } from '../poll/followed-site.ts';
import { noteLosses } from '../poll/note-losses.ts';
import { eventName } from '../../logs/event-name.ts';
import { PollReport } from '../poll/poll-report.ts';
import { fetchIn } from '../../base/network.ts';
import { failed, usage, type Outcome } from '../../base/problem.ts';
import { commandRegistries, type CommandRegistries } from '../../host/command-registries.ts';
import { clockOf, type EndSignal, type World } from '../../base/world.ts';
import { keepAgentSmall } from '../small-heap.ts';
import { agentLog, type AgentLog } from './agent-log.ts';
import { AS_INIT, INIT_FIX } from './as-init.ts';
import { reportEvent, reportLine } from './agent-report.ts';
import { readManufacturer } from '../../host/manufacturer-file.ts';
import { letModulesEnter, whyNoneRuns } from './entering.ts';
import { noteFailedBoards } from './failed-boards.ts';
import { noteLaterRefusals } from './later-refusals.ts';
import { withPrivateEnvironment } from './private-environment.ts';
import { systemdNotify } from './systemd-notify.ts';
import { downloadStatus } from './download-bar.ts';
import { startPage } from './agent-page.ts';
import { homeOf } from '../../host/home-of.ts';
import { launchedIn, readRunTerms, type AgentRunOptions, type RunTerms } from './run-terms.ts';

/** `modreg agent run <machine.json>`: runs the modules of this machine until a signal. */
export async function agentRunCommand(
  path: string,
  options: AgentRunOptions,
  outside: World,
): Promise<Outcome> {
  const { world, warning } = withPrivateEnvironment(outside);
  // Registered first, so that a signal during startup also ends the command.
  const ended = world.untilSignal();
  keepAgentSmall();
  const terms = readRunTerms(options, world);
  if (!terms.ok) return failed(terms.error);
  const { policy } = options;
  const { site: target } = terms.value;
  const start = followedStart(path, { ...(policy !== undefined && { policy }), target }, world);
  if (!start.ok) return failed(...start.error);
  const file = claimState(world);
  if (!file.ok) return failed(file.error);
  const site = siteOf(path, start.value, { options, terms: terms.value, file: file.value }, world);
  try {
    const home = dirname(file.value.path);
    letModulesEnter(home);
    const why = whyNoneRuns(start.value.documents, home);
    if (why !== undefined) return failed(usage(why));
    const served = await servedMetrics(
      terms.value.metrics,
      async () => await metricsOf(site, world),
    );
    if (!served.ok) return failed(served.error);
    const metrics = served.value;
    const all = { ...terms.value, metrics, ended, options, warning };
    return await run(site, all, world).finally(() => metrics?.listener.close());
  } catch (error) {
    // The documents changed after they were read first.
    if (error instanceof UnreadableSite) return failed(...error.problems);
    if (!(error instanceof DatabaseError)) throw error;
    return failed(stateProblem(error));
  } finally {
    site.registries.close();
    file.value.close();
  }
}

/** What the agent has of its machine, whose file is open. */
function siteOf(
  path: string,
  start: FollowedDocuments,
  {
    options,
    terms,
    file,
  }: { readonly options: AgentRunOptions; readonly terms: RunTerms; readonly file: ClaimedFile },
  world: World,
): AgentSite {
  const { requests, documents } = start;
  const reading = {
    machinePath: path,
    saved: savedListsIn(file),
    machine: terms.machine,
    requests,
  };
  const registries = commandRegistries({ ...options, ...reading }, world);
  const keep = documentKeeper(dirname(file.path));
  return { ...start, path, file, registries, keep, current: { documents } };
}

interface AgentSite {
  readonly path: string;
  readonly file: ClaimedFile;
  readonly registries: CommandRegistries;
  /** Reads the documents of the machine again. */
  readonly read: StartDocuments['read'];
  readonly follow: FollowedDocuments['follow'];
  readonly secretOf: FollowedDocuments['secretOf'];
  readonly keep: ReturnType<typeof documentKeeper>;
  /** Why it starts with kept documents. */
  readonly problems: StartDocuments['problems'];
  /** The documents that were read last. */
  readonly current: { documents: PlanDocuments };
}

async function metricsOf({ file, current }: AgentSite, world: World): Promise<AgentMetrics> {
  const { agentMetrics } = await import('../metrics/agent-metrics.ts');
  return agentMetrics({
    file,
    home: homeOf(file),
    entries: () => supervisedEntries(current.documents.machine).map(({ name }) => name),
    now: () => world.clock(),
  });
}

interface AgentTerms extends Omit<RunTerms, 'metrics'> {
  readonly metrics: ServedMetrics<AgentMetrics> | undefined;
  readonly options: AgentRunOptions;
  /** What modules can still read in the environment of this process. */
  readonly warning: string | undefined;
  /** Resolves with the signal that ends the command. */
  readonly ended: ReturnType<World['untilSignal']>;
}

interface AgentOutput {
  readonly report: PollReport;
  readonly log: AgentLog;
  readonly world: World;
}

async function run(site: AgentSite, terms: AgentTerms, world: World): Promise<Outcome> {
  const { path, file, current, registries } = site;
  const { documents } = current;
  const facts = (target: ActionTarget): ReturnType<typeof factsOf> =>
    factsOf(file.state.memory().of(target));
  const lists = listsByRegistry({ documents, facts }, registries, world);
  if (!lists.ok) return failed(lists.error);
  const timeZone = (name: string): string | undefined =>
    timeZoneOf(termsFor(documents.policy, name));
  const { options, machineId } = terms;
  const place = { ...terms, statePath: file.path, registry: options.registry };
  const note: Parameters<typeof agentLog>[2] = (level, text) => report.note(level, text);
  const log = agentLog(place, world, note);
  const { json } = options;
  const printed = { ...(json ? { json } : {}), of: 'agent', onLine: log.onLine } as const;
  const report = new PollReport(printed, timeZone, world);
  noteStart(site, terms, report);
  const agent = agentFor(site, terms, { report, log, world });
  const reports = startReports(terms.reports, {
    ...terms,
    file,
    machine: () => current.documents.machine,
    policy: () => current.documents.policy,
    onNotice: note,
  });
  const notify = systemdNotify(world, (reason) => report.note('warn', reason));
  notify.ready();
  const stopPage = startPage(path, { ...options, machineId }, world, note);
  const onChange = (): void => agent.look({ rereads: true });
  const unfollow = site.follow({ ...site, ...terms, onChange, onNotice: note });
  const signal = await runUntil(terms.ended, agent, { file, report, world }).finally(async () => {
    unfollow();
    await stopPage?.();
    notify.stop();
    await reports?.close();
    await log.close();
  });
  const ending = signal === 'SIGINT' ? 'interrupted' : undefined;
  return { answer: [], notes: [], problems: [], ending, isLog: true };
}

function noteStart(
  { path, file, current, problems }: AgentSite,
  { intervalMs, warning, metrics }: AgentTerms,
  report: PollReport,
): void {
  const modules = countOf(current.documents.machine.modules.length, 'module');
  const what = `running ${modules} of ${excerpt(path)}, a round every ${describeDuration(intervalMs)} (Ctrl-C stops)`;
  report.note('info', what, { name: eventName('agent', 'started') });
  noteLosses(file, report);
  noteKeptDocuments(problems, report);
  if (warning !== undefined) report.note('warn', warning);
  if (process.pid === 1) report.note('warn', `${AS_INIT}; ${INIT_FIX}`);
  if (metrics) report.note(...servedLine(metrics));
}

async function runUntil(
  ended: ReturnType<World['untilSignal']>,
  agent: Agent,
  { file, report, world }: Pick<AgentSite, 'file'> & Pick<AgentOutput, 'report' | 'world'>,
): Promise<EndSignal> {
  const watching = new AbortController();
  const watch = { clock: clockOf(world), signal: watching.signal };
  void watchDisk(file, (level, text) => report.note(level, text), watch);
  // A start waits for processes of an earlier agent.
  await Promise.race([agent.start(), ended]).catch((error: unknown) => {
    watching.abort();
    throw error;
  });
  void watchRequests(file, () => agent.look(), watch);
  const signal = await ended;
  watching.abort();
  world.status(undefined);
  const name = eventName('agent', 'stopping');
  report.note('info', `got ${signal}: stopping all modules`, { name });
  await agent.stop();
  report.note('info', 'all modules are stopped', { name: eventName('agent', 'stopped') });
  return signal;
}

function configurationOf(
  { read, keep, current }: AgentSite,
  { report, log }: AgentOutput,
): () => PlanDocuments {
  const noteRefusals = noteLaterRefusals(report);
  const noteUsed = noteDocuments(report);
  const noteBoards = noteFailedBoards(report);
  return () => {
    const now = read();
    if (!now.ok) throw new UnreadableSite(now.error);
    noteUnkept(keep(now.value), report);
    noteUsed(now.value);
    log.follow(now.value.policy);
    noteRefusals(now.value);
    noteBoards(now.value.machine);
    current.documents = now.value;
    return now.value;
  };
}

function agentFor(site: AgentSite, terms: AgentTerms, output: AgentOutput): Agent {
  const { file, registries } = site;
  const { report, world } = output;
  const { machineId, group, metrics, options } = terms;
  const versions = new Map<string, string>();
  const showDownloads = downloadStatus(
    (text) => world.status(text),
    () => world.clock(),
  );
  return new Agent({
    file,
    platform: terms.platform,
    intervalMs: terms.intervalMs,
    clock: clockOf(world),
    random: () => world.random(),
    home: homeOf(file),
    environment: world.environment,
    secretOf: site.secretOf,
    systemTags: () => world.systemTags?.() ?? [],
    launched: launchedIn(world),
    ...(machineId !== undefined && { machineId }),
    ...(group !== undefined && { group }),
    configuration: configurationOf(site, output),
    registryFor: measuredRegistries(registries, metrics),
    system: { manufacturer },
    fetch: () => ({ token: (url) => registries.tokenFor(url), fetch: fetchIn(world) }),
    onEvent: (event) => {
      if (!options.json) showDownloads(event);
      if (event.kind === 'started') versions.set(event.name, event.version);
      reportEvent(event, { report, metrics });
    },
    onLine: (name, line) => reportLine(name, line, { report, version: versions.get(name) }),
  });
}

function manufacturer(): AgentConfiguration | undefined {
  const read = readManufacturer('');
  if (read.ok) return read.value;
  throw new UnreadableSite([read.error]);
}
