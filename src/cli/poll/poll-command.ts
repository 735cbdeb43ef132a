import { dirname } from 'node:path';
import type { ActionTarget } from '../../core/index.ts';
import { termsFor } from '../../core/machine/update-policy.ts';
import type { Configuration } from '../../core/plan/configuration.ts';
import { factsOf } from '../../core/plan/plan-input.ts';
import { describeDuration } from '../../core/text/duration.ts';
import { excerpt } from '../../core/text/quote.ts';
import { Poller } from '../../poller/index.ts';
import { savedListsIn, type ClaimedFile } from '../../store/index.ts';
import { claimState } from '../../host/open-state.ts';
import {
  measuredRegistries,
  servedLine,
  servedMetrics,
  type ServedMetrics,
} from '../metrics/served-metrics.ts';
import { countOf } from '../../base/count.ts';
import type { Level } from '../base/log-line.ts';
import type { PollMetrics } from '../metrics/poll-metrics.ts';
import { timeZoneOf } from '../../config/time-zone.ts';
import { documentKeeper } from '../../host/kept-documents.ts';
import type { PlanDocuments } from '../../host/plan-documents.ts';
import { listsByRegistry } from '../../host/plan-lists.ts';
import { UnreadableSite } from '../plan/polling-words.ts';
import { collectAfterGrowth } from '../small-heap.ts';
import { failed, type Outcome } from '../../base/problem.ts';
import { commandRegistries, type CommandRegistries } from '../../host/command-registries.ts';
import { watchDisk } from './watched-disk.ts';
import { watchRequests } from './watched-requests.ts';
import { clockOf, type EndSignal, type World } from '../../base/world.ts';
import { carryOut, type Execution } from './carry-out.ts';
import { programRecord } from './earlier-program.ts';
import { startReports } from './machine-reports.ts';
import { followedStart, type FollowedDocuments } from './followed-site.ts';
import { firstVersions, NONE, unknownNames } from './first-versions.ts';
import { noteKeptDocuments, noteUnkept } from './note-kept-documents.ts';
import { noteLosses } from './note-losses.ts';
import { noteDocuments } from './note-documents.ts';
import { PollReport } from './poll-report.ts';
import { readPollTerms, type PollOptions, type PollTerms } from './poll-terms.ts';

/** `modreg poll <machine.json> --exec <program>`: polls a machine, and runs the program for each action when it is due. */
export async function pollCommand(
  path: string,
  options: PollOptions,
  world: World,
): Promise<Outcome> {
  // Registered first, so that a signal during startup also ends the command.
  const [ended, killed] = [world.untilSignal(), world.untilSignal(2)];
  collectAfterGrowth();
  const terms = readPollTerms(options, world);
  if (!terms.ok) return failed(...terms.error);
  const { deployed = NONE, policy } = options;
  const reported = deployed === NONE ? {} : { deployed };
  const named = { ...reported, ...(policy !== undefined && { policy }), target: terms.value.site };
  const start = followedStart(path, named, world);
  if (!start.ok) return failed(...start.error);
  const file = claimState(world);
  if (!file.ok) return failed(file.error);
  const saved = savedListsIn(file.value);
  const reading = { machinePath: path, saved, requests: start.value.requests };
  const registries = commandRegistries({ ...options, ...reading }, world);
  try {
    const { state } = file.value;
    const facts = (target: ActionTarget) => factsOf(state.memory().of(target));
    const lists = listsByRegistry({ ...start.value, facts }, registries, world);
    if (!lists.ok) return failed(lists.error);
    const served = await servedMetrics(terms.value.metrics, async () => await metricsOf(state));
    if (!served.ok) return failed(served.error);
    const metrics = served.value;
    const keep = documentKeeper(dirname(file.value.path));
    const site = { path, ...start.value, keep, registries, file: file.value, metrics };
    const signal = await poll(site, { options, terms: terms.value, ended, killed }, world).finally(
      () => metrics?.listener.close(),
    );
    const ending = signal === 'SIGINT' ? 'interrupted' : undefined;
    return { answer: [], notes: [], problems: [], ending, isLog: true };
  } finally {
    registries.close();
    file.value.close();
  }
}

async function metricsOf(state: ClaimedFile['state']): Promise<PollMetrics> {
  const { pollMetrics } = await import('../metrics/poll-metrics.ts');
  return pollMetrics(state);
}

interface PolledSite extends FollowedDocuments {
  readonly path: string;
  readonly keep: ReturnType<typeof documentKeeper>;
  readonly registries: CommandRegistries;
  readonly file: ClaimedFile;
  readonly metrics: ServedMetrics | undefined;
}

interface PollContext {
  readonly options: PollOptions;
  readonly terms: PollTerms;
  /** Resolves with the signal that ends the command. */
  readonly ended: ReturnType<World['untilSignal']>;
  /** Resolves with a second signal, which does not wait for the program. */
  readonly killed: ReturnType<World['untilSignal']>;
}

/** Notices, until the signal, what other commands request, what its site serves, and how full the disk is. */
function watch(
  site: PolledSite,
  terms: PollTerms,
  { poller, report }: { readonly poller: Poller; readonly report: PollReport },
  watching: Parameters<typeof watchDisk>[2],
): void {
  const { file } = site;
  const onNotice = (level: Level, text: string): void => report.note(level, text);
  void watchRequests(file, () => poller.look(), watching);
  void watchDisk(file, onNotice, watching);
  const onChange = (): void => poller.look({ rereads: true });
  const unfollow = site.follow({ ...site, ...terms, onChange, onNotice });
  watching.signal.addEventListener('abort', unfollow, { once: true });
}

async function poll(
  site: PolledSite,
  { options, terms, ended, killed }: PollContext,
  world: World,
): Promise<EndSignal> {
  const { file } = site;
  const current = { documents: site.documents };
  const timeZone = (name: string): string | undefined =>
    timeZoneOf(termsFor(current.documents.policy, name));
  const report = new PollReport(options, timeZone, world);
  const [stopping, killing] = [new AbortController(), new AbortController()];
  const stopped = ended.then((signal) => {
    stopping.abort(new Error(`the poller got ${signal}`));
    return signal;
  });
  void killed.then(() => killing.abort());
  const poller = pollerOf(site, { options, terms, current }, { report, world });
  noteStart(site, terms, report);
  poller.start();
  const reports = startReports(terms.reports, {
    ...terms,
    file,
    machine: () => current.documents.machine,
    policy: () => current.documents.policy,
    onNotice: (level, text) => report.note(level, text),
  });
  const record = programRecord(`${file.path}.program`);
  const signals = { stopping: stopping.signal, killing: killing.signal };
  const execution = { ...terms, ...signals, file, record, report, world };
  await untilEarlierEnds(execution);
  watch(site, terms, { poller, report }, { clock: clockOf(world), signal: stopping.signal });
  // One after another: a package manager, for example, fails if another one is running.
  for await (const delivery of poller.deliveries(stopping.signal)) {
    await carryOut(delivery, execution);
  }
  await poller.stop();
  await reports?.close();
  const signal = await stopped;
  report.note('info', `stopped by ${signal}`);
  return signal;
}

function configurationOf(
  { read, keep }: PolledSite,
  current: { documents: PlanDocuments },
  report: PollReport,
): () => Configuration {
  const noteUsed = noteDocuments(report);
  return () => {
    const now = read();
    if (!now.ok) throw new UnreadableSite(now.error);
    noteUnkept(keep(now.value), report);
    noteUsed(now.value);
    current.documents = now.value;
    return now.value;
  };
}

function pollerOf(
  site: PolledSite,
  {
    options,
    terms,
    current,
  }: Pick<PollContext, 'options' | 'terms'> & { readonly current: { documents: PlanDocuments } },
  { report, world }: Pick<Execution, 'report' | 'world'>,
): Poller {
  const { file, registries, metrics, secretOf } = site;
  const { platform, machineId, group, intervalMs, timeoutMs } = terms;
  const documents = (): PlanDocuments => current.documents;
  return new Poller({
    file,
    platform,
    ...(machineId !== undefined && { machineId }),
    ...(group !== undefined && { group }),
    intervalMs,
    clock: clockOf(world),
    random: () => world.random(),
    configuration: configurationOf(site, current, report),
    acknowledgeWithinMs: timeoutMs,
    environment: world.environment,
    secretOf,
    systemTags: () => world.systemTags?.() ?? [],
    registryFor: measuredRegistries(registries, metrics),
    deployedVersion: firstVersions(file, { named: options.deployed, report, documents }),
    onEvent: (event) => {
      metrics?.onEvent(event);
      report.onEvent(event);
    },
  });
}

function noteStart(
  { path, documents, problems, file, metrics }: PolledSite,
  { intervalMs, program, prepare }: PollTerms,
  report: PollReport,
): void {
  const modules = countOf(documents.machine.modules.length, 'module');
  const every = describeDuration(intervalMs);
  const programs = [program, ...(prepare === undefined ? [] : [prepare])].map((one) =>
    excerpt(one),
  );
  const what = `polling ${modules} of ${excerpt(path)}, every ${every}, for ${programs.join(', prepared by ')}`;
  report.note('info', `${what} (Ctrl-C stops)`);
  if (metrics) report.note(...servedLine(metrics));
  for (const text of unknownNames(documents)) report.note('warn', text);
  noteLosses(file, report);
  noteKeptDocuments(problems, report);
}

/** Waits for the program of a poller that was killed, so that two do not run at once. */
async function untilEarlierEnds({ record, report, stopping }: Execution): Promise<void> {
  const pid = record.earlier();
  if (pid === undefined) return;
  const text = `the program of an earlier poller is still running (process ${pid}); its action is delivered once it has ended`;
  report.note('warn', text);
  await record.ended(stopping).catch(() => undefined);
}
