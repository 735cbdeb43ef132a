import { excerpt } from '../../core/text/quote.ts';
import type { AccessEvent, AccessOptions } from '../../page/access/access-options.ts';
import type { PageFile } from '../../page/access/page-file.ts';
import { listenForPage, type RunningPage } from '../../page/listen/page-server.ts';
import { tlsInUse, TlsFilesError, type TlsInUse } from '../../server/tls/tls-reload.ts';
import { DatabaseError } from '../../sqlite/database-error.ts';
import { isOpenToOthers } from '../base/metrics-place.ts';
import { failed, type Outcome, type Problem } from '../../base/problem.ts';
import { logEvent, registryLog } from '../base/registry-log.ts';
import { cannotListen } from '../base/cannot-listen.ts';
import { tlsProblem } from '../base/tls-options.ts';
import { clockOf, type World } from '../../base/world.ts';
import { openAccess, pageNames, type PageNames } from './page-access.ts';
import { stateProblem } from '../../host/open-state.ts';
import type { PageIdentity } from './page-identity.ts';
import { PORT_OPTION } from './page-child.ts';
import { needsTls, type PageTerms } from './page-terms.ts';
import { codeNote, shownAddress } from './shown-address.ts';

type PageApp = Parameters<typeof listenForPage>[0];

/** A page to serve. */
export interface ServedPage {
  readonly terms: PageTerms;
  readonly identity: PageIdentity;
  /** Resolves when it ends. */
  readonly ended: ReturnType<World['untilSignal']>;
  readonly appFor: (access: AccessOptions, onError: (error: unknown) => void) => PageApp;
}

interface Site extends ServedPage {
  readonly options: { readonly json?: true };
  readonly file: PageFile;
}

/** Serves a page until SIGINT or SIGTERM, or until nobody uses it. */
export async function servePage(
  page: ServedPage,
  options: { readonly json?: true },
  world: World,
): Promise<Outcome> {
  const file = openAccess(page.identity, world);
  if (!file.ok) return failed(file.error);
  try {
    return await serve({ ...page, options, file: file.value }, world);
  } catch (error) {
    return failed(problemOf(error, page.terms, world));
  } finally {
    file.value.close();
  }
}

async function serve(site: Site, world: World): Promise<Outcome> {
  const { options, terms, file, ended } = site;
  const { place, idleMs } = terms;
  const log = registryLog(world);
  const onLog = (event: Parameters<typeof logEvent>[1]): void => logEvent(log, event);
  const clock = clockOf(world);
  const tls = terms.tls && tlsInUse(terms.tls, { clock, log: onLog });
  const names = pageNames(file, tls, 'host' in place ? place.host : undefined);
  if (!names.ok) return failed(names.error);
  const app = protectedApp(site, { names: names.value, tls, log }, world);
  const running = await listenForPage(app, place, { tls, idleMs, log: onLog });
  try {
    const problem = announce(running, { site, names: names.value, tls }, world);
    if (problem) return failed(problem);
    const end = await Promise.race([ended, running.idle]);
    const ending = end === 'SIGINT' ? 'interrupted' : undefined;
    if (end === undefined && !options.json) world.note('note: the page is not used: it ends');
    return { answer: [], notes: [], problems: [], ending, isLog: true };
  } finally {
    await running.close();
  }
}

function protectedApp(
  { identity: { naming }, appFor, file }: Site,
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
): PageApp {
  const onEvent = (event: AccessEvent, account?: string): void =>
    log(event.endsWith('-refused') ? 'warn' : 'info', event, { account });
  const isTls = tls !== undefined;
  const access = { naming, file, names, isTls, now: () => world.clock(), onEvent };
  return appFor(access, (error) => log('error', 'failed', { error: excerpt(String(error)) }));
}

/** Tells where the page is; the problem if it may not be there, or if that cannot be told. */
function announce(
  { host, port }: RunningPage,
  {
    site: { identity, options, file, terms },
    names: { shown },
    tls,
  }: { readonly site: Site; readonly names: PageNames; readonly tls: TlsInUse | undefined },
  world: World,
): Problem | undefined {
  if (!tls && isOpenToOthers({ host, port })) {
    return needsTls(`the passed socket is ${host}`, `${port}`);
  }
  const address = `${tls ? 'https' : 'http'}://${shown}:${port}`;
  file.setAddress(address);
  // A connection has started this process, so there is no terminal that could show a code.
  if ('fd' in terms.place) return undefined;
  const code = file.newCode(world.clock());
  const line = shownAddress({ address, code }, identity, options, world);
  if (!line.ok) return line.error;
  world.print(line.value);
  if (!options.json) world.note(codeNote(identity));
  return undefined;
}

function problemOf(error: unknown, { place }: PageTerms, { environment }: World): Problem {
  if (error instanceof DatabaseError) return stateProblem(error);
  if (error instanceof TlsFilesError) return tlsProblem(error.message);
  const option = environment[PORT_OPTION];
  const address = 'fd' in place ? { host: 'the passed socket', port: place.fd } : place;
  const problem = cannotListen(address, error);
  // The process that started the page has options of its own.
  return problem.hint === undefined || option === undefined
    ? problem
    : { ...problem, hint: `${option} chooses another port` };
}
