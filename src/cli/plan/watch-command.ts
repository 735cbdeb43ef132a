import type { UpdateTerms } from '../../config/index.ts';
import { describeDuration } from '../../core/text/duration.ts';
import type { Result } from '../../core/index.ts';
import { excerpt } from '../../core/text/quote.ts';
import type { PollingEvent } from '../../poller/event.ts';
import { watchPlans, type WatchedMachine } from '../../poller/watch-plans.ts';
import { countOf } from '../../base/count.ts';
import { platformOf } from '../../host/list-options.ts';
import { readPlanDocuments, type PlanDocuments } from '../../host/plan-documents.ts';
import { factsFor } from '../../host/plan-facts.ts';
import { listsByRegistry, type Site } from '../../host/plan-lists.ts';
import { documentWarnings } from '../../host/plan/plan-problems.ts';
import { failed, type Outcome, type Problem } from '../../base/problem.ts';
import { commandRegistries, type CommandRegistries } from '../../host/command-registries.ts';
import type { RegistryOptions } from '../../host/registry-choice.ts';
import { readInterval } from './interval-option.ts';
import { UnreadableSite } from './polling-words.ts';
import { WatchReport } from './watch-report.ts';
import { clockOf, type EndSignal, type World } from '../../base/world.ts';
import { endingAfter } from '../base/ending-after.ts';

export interface WatchOptions extends RegistryOptions {
  readonly deployed?: string;
  readonly interval?: string;
  readonly platform?: string;
  /** Whether documents with warnings are refused. */
  readonly strict?: true;
}

/** `modreg watch <machine.json>`: prints each action of a poller of this machine when it is due. Changes nothing. */
export async function watchCommand(
  path: string,
  options: WatchOptions,
  world: World,
): Promise<Outcome> {
  // Registered first, so that a signal during startup also ends the command.
  const ended = Promise.race([world.untilSignal(), world.untilStdoutCloses()]);
  const platform = platformOf(options, world);
  const interval = readInterval(options.interval);
  if (!platform.ok) return failed(platform.error);
  if (!interval.ok) return failed(interval.error);
  const report = new WatchReport(options.json ?? false, world);
  const onRetry = (): void => void report.retries++;
  const registries = commandRegistries(
    { ...options, machinePath: path, isUnsaved: true, onRetry },
    world,
  );
  try {
    const read = async (): Promise<Result<Site, Problem[]>> =>
      await readSite(path, { options, registries, report }, world);
    const first = await read();
    if (!first.ok) return { ...failed(...first.error), ending: 'no' };
    const { length } = first.value.documents.machine.modules;
    const every = describeDuration(interval.value);
    report.note(
      `watching ${countOf(length, 'module')} of ${excerpt(path)}, every ${every} (Ctrl-C stops)`,
    );
    const terms = {
      platform: platform.value,
      intervalMs: interval.value,
      clock: clockOf(world),
      random: () => world.random(),
      systemTags: () => world.systemTags?.() ?? [],
    };
    return await watch(first.value, read, { report, registries, terms, ended });
  } finally {
    registries.close();
  }
}

async function watch(
  first: Site,
  read: () => Promise<Result<Site, Problem[]>>,
  { report, registries, terms, ended }: WatchContext,
): Promise<Outcome> {
  let site = first;
  const configuration = async (): Promise<PlanDocuments> => {
    const now = await read();
    if (!now.ok) throw new UnreadableSite(now.error);
    site = now.value;
    return site.documents;
  };
  const machine = {
    ...terms,
    configuration,
    registryFor: (of: UpdateTerms) => registries.registryFor(of),
    facts: () => site.facts,
    onEvent: (event: PollingEvent) => report.onEvent(event),
  };
  const stopping = new AbortController();
  const watching = watchPlans(machine, (plan) => report.show(plan), stopping.signal);
  const signal = await ended;
  stopping.abort();
  report.end(await watching);
  return { answer: [], notes: [], problems: [], ending: endingAfter(signal) };
}

interface WatchContext {
  readonly report: WatchReport;
  readonly registries: CommandRegistries;
  readonly terms: Pick<
    WatchedMachine,
    'platform' | 'intervalMs' | 'clock' | 'random' | 'systemTags'
  >;
  /** Resolves with the signal that ends the command, or undefined when the reader of stdout closes it. */
  readonly ended: Promise<EndSignal | void>;
}

async function readSite(
  path: string,
  how: Pick<WatchContext, 'registries' | 'report'> & { readonly options: WatchOptions },
  world: World,
): Promise<Result<Site, Problem[]>> {
  const documents = readPlanDocuments(path, how.options);
  if (!documents.ok) return documents;
  const warnings = documentWarnings(documents.value);
  if (how.options.strict && warnings.length > 0) return { ok: false, error: warnings };
  const facts = await factsFor(documents.value, world);
  if (!facts.ok) return { ok: false, error: [facts.error] };
  const site = { documents: documents.value, facts: facts.value.facts };
  const lists = listsByRegistry(site, how.registries, world);
  if (!lists.ok) return { ok: false, error: [lists.error] };
  how.report.warn(warnings);
  return { ok: true, value: site };
}
