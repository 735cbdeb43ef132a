import { excerpt } from '../../core/text/quote.ts';
import type { AccessEvent } from '../../page/access/access-options.ts';
import type { PageFile } from '../../page/access/page-file.ts';
import { pageApp } from '../../page/app.ts';
import { listenForPage, type RunningPage } from '../../page/listen/page-server.ts';
import { systemClock } from '../../registry/clock.ts';
import { tlsInUse, TlsFilesError, type TlsInUse } from '../../server/tls/tls-reload.ts';
import { DatabaseError } from '../../sqlite/database-error.ts';
import { isOpenToOthers } from '../metrics/metrics-place.ts';
import type { Outcome, Problem } from '../problem.ts';
import { failed } from '../registry/catalogue-options.ts';
import { logEvent, registryLog } from '../registry/registry-log.ts';
import { cannotListen, tlsProblem } from '../registry/serve-terms.ts';
import type { World } from '../world.ts';
import { machineOnPage, type PageMachineOptions } from './machine-on-page.ts';
import { fileProblem, openAccess, pageNames, type PageNames } from './page-access.ts';
import { pageAssets } from './page-assets.ts';
import { needsTls, readPageTerms, type PageServingOptions, type PageTerms } from './page-terms.ts';
import { CODE_NOTE, shownAddress } from './shown-address.ts';
import { keepHeapSmall } from './small-heap.ts';

export type PageCommandOptions = PageMachineOptions & PageServingOptions;

/** `modreg page <machine.json>`: serves the page of this machine until SIGINT or SIGTERM, or until nobody uses it. */
export async function pageCommand(
  path: string,
  options: PageCommandOptions,
  world: World,
): Promise<Outcome> {
  // Registered first, so that a signal during the start also ends the command.
  const ended = world.untilSignal();
  keepHeapSmall();
  const terms = readPageTerms(options, world, process.pid);
  if (!terms.ok) return failed(terms.error);
  const file = openAccess(world);
  if (!file.ok) return failed(file.error);
  try {
    return await serve({ path, options, terms: terms.value, file: file.value, ended }, world);
  } catch (error) {
    return failed(problemOf(error, terms.value));
  } finally {
    file.value.close();
  }
}

interface Site {
  readonly path: string;
  readonly options: PageCommandOptions;
  readonly terms: PageTerms;
  readonly file: PageFile;
  readonly ended: ReturnType<World['untilSignal']>;
}

async function serve(site: Site, world: World): Promise<Outcome> {
  const { options, terms, file, ended } = site;
  const { place, idleMs } = terms;
  const log = registryLog(world);
  const onLog = (event: Parameters<typeof logEvent>[1]): void => logEvent(log, event);
  const clock = { ...systemClock, now: () => world.clock() };
  const tls = terms.tls && tlsInUse(terms.tls, { clock, log: onLog });
  const names = pageNames(file, tls, 'host' in place ? place.host : undefined);
  if (!names.ok) return failed(names.error);
  const app = appFor(site, { names: names.value, tls, log }, world);
  const running = await listenForPage(app, place, { tls, idleMs, log: onLog });
  try {
    const problem = announce(running, { site, names: names.value, tls }, world);
    if (problem) return failed(problem);
    const end = await Promise.race([ended, running.idle]);
    const ending = end === 'SIGINT' ? 'interrupted' : undefined;
    if (end === undefined && !options.json) world.note('note: nobody uses the page: it ends');
    return { answer: [], notes: [], problems: [], ending, isLog: true };
  } finally {
    await running.close();
  }
}

function appFor(
  { path, options, file }: Site,
  {
    names: { names },
    tls,
    log,
  }: {
    readonly names: PageNames;
    readonly tls: TlsInUse | undefined;
    readonly log: ReturnType<typeof registryLog>;
  },
  world: World,
): ReturnType<typeof pageApp> {
  const onEvent = (event: AccessEvent): void =>
    log(event === 'code-refused' ? 'warn' : 'info', event, {});
  return pageApp(machineOnPage(path, options, world), {
    assets: pageAssets(),
    access: { file, names, isTls: tls !== undefined, now: () => world.clock(), onEvent },
    onError: (error) => log('error', 'failed', { error: excerpt(String(error)) }),
  });
}

/** Tells where the page is; the problem if it may not be there, or if that cannot be told. */
function announce(
  { host, port }: RunningPage,
  {
    site: { options, file, terms },
    names: { shown },
    tls,
  }: { readonly site: Site; readonly names: PageNames; readonly tls: TlsInUse | undefined },
  world: World,
): Problem | undefined {
  if (!tls && isOpenToOthers({ host, port })) return needsTls(`the passed socket is ${host}`);
  const address = `${tls ? 'https' : 'http'}://${shown}:${port}`;
  file.setAddress(address);
  // A connection has started this process, so there is no terminal that could show a code.
  if ('fd' in terms.place) return undefined;
  const line = shownAddress({ address, code: file.newCode(world.clock()) }, options, world);
  if (!line.ok) return line.error;
  world.print(line.value);
  if (!options.json) world.note(CODE_NOTE);
  return undefined;
}

function problemOf(error: unknown, { place }: PageTerms): Problem {
  if (error instanceof DatabaseError) return fileProblem(error);
  if (error instanceof TlsFilesError) return tlsProblem(error.message);
  return cannotListen('fd' in place ? { host: 'the passed socket', port: place.fd } : place, error);
}
