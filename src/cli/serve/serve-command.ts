import { cannotListen } from '../base/cannot-listen.ts';
import { existsSync } from 'node:fs';
import type { Catalogue, RunningRegistry } from '../../server/index.ts';
import { quote } from '../../core/text/quote.ts';
import type { Result } from '../../core/index.ts';
import type { Clock } from '../../registry/clock.ts';
import type { Replica } from '../../server/registry-options.ts';
import { watchForLoss } from '../../server/catalogue/file-loss.ts';
import { serveRegistry } from '../../server/serve.ts';
import { INSTALL_SCRIPT_SHA256 } from '../../server/routes/install-script.ts';
import { TlsFilesError } from '../../server/tls/tls-reload.ts';
import { jsonLine } from '../base/answer-json.ts';
import { failed, usage, type Outcome, type Problem } from '../../base/problem.ts';
import { DatabaseError, foundTwice } from '../../sqlite/database-error.ts';
import { databaseProblem, openCatalogue, modeOf } from '../../site/catalogue-options.ts';
import { watchForDamage } from './damage-watch.ts';
import { whyNoPlace } from './free-place.ts';
import { damageIn } from './quick-check.ts';
import { defaultDatabase } from '../../host/registry-choice.ts';
import { isOpenToOthers } from '../base/metrics-place.ts';
import { listenForScrapes, metricsNote } from '../metrics/metrics-listener.ts';
import { servedNumbers } from '../metrics/served-numbers.ts';
import { fetchIn } from '../../base/network.ts';
import type { NoticeEvent, Receivers } from '../../server/notice.ts';
import { logEvent, logLineOf, logNotice, registryLog } from '../base/registry-log.ts';
import { readNotifyFile, type NotifyTerms } from './notify-file.ts';
import { readServeTerms, type ServeCommandOptions, type ServeTerms } from './serve-terms.ts';
import { flagsOf, runPage } from '../page/page-child.ts';
import { tlsProblem } from '../base/tls-options.ts';
import { clockOf, type World } from '../../base/world.ts';

/** Short, because the server answers no request while it waits for another process. */
const SERVER_BUSY_TIMEOUT_MS = 100;

/** Makes a catalogue follow a cluster, for `modreg fleet serve`. */
export type Attach = (
  catalogue: Catalogue,
  parts: { readonly clock: Clock; readonly log: ReturnType<typeof registryLog> },
) => Promise<Result<Attached, Problem>>;

interface Attached {
  readonly replica: Replica;
  readonly close: () => Promise<void>;
}

/** `modreg registry serve`: serves the registry until SIGINT or SIGTERM. */
export async function serveCommand(
  options: ServeCommandOptions,
  world: World,
  attach?: Attach,
): Promise<Outcome> {
  const terms = readServeTerms(options);
  if (!terms.ok) return failed(terms.error);
  const path = options.db ?? defaultDatabase(world);
  const isNew = path !== undefined && !existsSync(path);
  const noPlace = isNew ? await whyNoPlace({ ...options, ...terms.value }) : undefined;
  if (noPlace) return failed(noPlace);
  const notify = options.notify === undefined ? undefined : readNotifyFile(options.notify, world);
  if (notify?.ok === false) return failed(notify.error);
  const opened = openCatalogue(options, world, {
    ...modeOf(options),
    busyTimeoutMs: SERVER_BUSY_TIMEOUT_MS,
  });
  if (!opened.ok) return failed(opened.error);
  const catalogue = opened.value;
  try {
    // Served alone, it would refuse each change (T244).
    if (!attach && foundTwice(catalogue.log.last) > 0) return failed(frontProblem(catalogue));
    const damage = await damageIn(catalogue.path);
    if (damage) return failed(lossProblem(damage));
    if (isNew && !options.json)
      world.note(`note: created ${quote(catalogue.path)}, which is empty`);
    const served = { ...options, ...terms.value, receivers: notify?.value };
    return await serve(catalogue, served, { world, attach });
  } catch (error) {
    return failed(startProblem({ ...options, ...terms.value }, error));
  } finally {
    catalogue.close();
  }
}

function frontProblem({ path }: Catalogue): Problem {
  const message = `${quote(path)} belongs to a front of a cluster: modreg fleet serve serves it`;
  const hint =
    'to serve its releases without a cluster: modreg registry backup, modreg registry restore, and serve the restored file';
  return { ...usage(message), hint };
}

type Serving = Omit<ServeCommandOptions, keyof ServeTerms> & ServeTerms;
/** With what `--notify` names. */
type ServingAndTelling = Serving & { readonly receivers: NotifyTerms | undefined };

async function serve(
  catalogue: Catalogue,
  options: ServingAndTelling,
  { world, attach }: { readonly world: World; readonly attach: Attach | undefined },
): Promise<Outcome> {
  const log = registryLog(world);
  const started: { running?: RunningRegistry } = {};
  const { scrape, observe, onEvent, onNotice } = servedNumbers(catalogue, () => started.running);
  const clock = clockOf(world);
  const front = await attach?.(catalogue, { clock, log });
  if (front?.ok === false) return failed(front.error);
  const listener =
    options.metrics && (await listenForScrapes(options.metrics, async () => scrape('all')));
  if (listener?.ok === false) return failed(listener.error);
  try {
    const running = await serveRegistry(catalogue, options, {
      clock,
      replica: front?.value.replica,
      spreadMs: options.spreadMs,
      silentMs: options.silentMs,
      staged: options.staged,
      tls: options.tls,
      observe,
      metrics: listener ? undefined : scrape,
      notify: receiversOf(options, world, onNotice),
      log: (event) => {
        onEvent(event);
        logEvent(log, event);
      },
    });
    started.running = running;
    if (!options.json && listener) world.note(metricsNote(listener.value, options.metrics));
    return await servePage(options, catalogue, world, async () =>
      serveUntilSignal(running, options, { world, log, catalogue, isFront: attach !== undefined }),
    );
  } finally {
    listener?.value.close();
    await front?.value.close();
  }
}

const PAGE = { portOption: '--page <host>:<port>' };

function receiversOf(
  { receivers }: ServingAndTelling,
  world: World,
  onNotice: (event: NoticeEvent) => void,
): Receivers | undefined {
  const log = registryLog(world);
  const onEvent = (event: NoticeEvent): void => {
    onNotice(event);
    logNotice(log, event);
  };
  return receivers && { ...receivers, fetch: fetchIn(world), onEvent };
}

/** The outcome of `work`, with the page of the site meanwhile if the options say so. */
async function servePage(
  options: Serving,
  catalogue: Catalogue,
  world: World,
  work: () => Promise<Outcome>,
): Promise<Outcome> {
  const stop =
    options.page && runPage(pageArguments(options, catalogue), world, pageLog(world), PAGE);
  try {
    return await work();
  } finally {
    await stop?.();
  }
}

/** The page is a process of its own: counting the machines of a site must not delay the answers of the registry (T176). */
function pageArguments({ page, tls }: Serving, { path }: Catalogue): string[] {
  const isOpen = page && isOpenToOthers(page);
  const flags = flagsOf({
    db: path,
    host: page?.host,
    port: page && `${page.port}`,
    'tls-cert': isOpen ? tls?.certificate : undefined,
    'tls-key': isOpen ? tls?.key : undefined,
  });
  return ['registry', 'page', ...flags];
}

function pageLog(world: World): Parameters<typeof runPage>[2] {
  return (level, text) => logLineOf('page', [level, text.replace(/^page: /, '')], world);
}

async function serveUntilSignal(
  running: RunningRegistry,
  options: Serving,
  {
    world,
    log,
    catalogue,
    isFront,
  }: {
    readonly world: World;
    readonly log: ReturnType<typeof registryLog>;
    readonly catalogue: Catalogue;
    readonly isFront: boolean;
  },
): Promise<Outcome> {
  const { address } = running;
  const json = jsonLine({
    schema: 'modreg/registry-serve@1',
    address,
    install_script_sha256: INSTALL_SCRIPT_SHA256,
  });
  world.print(options.json ? json : `listening on ${address}`);
  if (!options.json)
    for (const line of notesFor(address, { ...options, isFront })) world.note(line);
  const loss = watchForLoss(catalogue);
  const ending = new AbortController();
  const damaged = watchForDamage(catalogue.path, ending.signal);
  const end = await Promise.race([world.untilSignal(), loss.lost, damaged]);
  loss.stop();
  ending.abort();
  if (end instanceof DatabaseError) {
    log('error', 'stopping', { error: end.message });
    await running.close();
    return { ...failed(lossProblem(end)), isLog: true };
  }
  log('info', 'stopping', { signal: end });
  await running.close();
  const interrupted = end === 'SIGINT' ? 'interrupted' : undefined;
  return { answer: [], notes: [], problems: [], ending: interrupted, isLog: true };
}

/** A damaged file is neither replaced nor set aside: machines would take an empty registry for one that withdrew all releases (T82). */
function lossProblem(error: DatabaseError): Problem {
  const problem = databaseProblem(error);
  if (error.kind !== 'damaged') return problem;
  return {
    ...problem,
    hint: 'the file is kept as it is: modreg registry restore <folder> --replace restores a backup',
  };
}

function startProblem(options: Serving, error: unknown): Problem {
  if (error instanceof DatabaseError) return lossProblem(error);
  if (error instanceof TlsFilesError) return tlsProblem(error.message);
  return cannotListen(options, error);
}

function notesFor(
  address: string,
  { host, db, tls, isFront }: Serving & { readonly isFront: boolean },
): string[] {
  const file = db === undefined ? '' : ` --db ${db}`;
  const publish = 'note: publish with modreg registry publish <module_id> <version>';
  const create = `modreg registry token create --name <name> --scope publish${file}`;
  const isOpen = !/^(127\.|localhost$|::1$)/.test(host);
  return [
    `note: the modules are at ${address}/v1/modules, and the API description is at ${address}/v1/openapi.json`,
    `note: ${address}/install.sh installs the agent of a machine; its sha256 is ${INSTALL_SCRIPT_SHA256}`,
    isFront
      ? `${publish} --registry ${address}, which needs a token: ${create}`
      : `${publish}${file}; publishing over HTTP needs a token: ${create}`,
    ...(isOpen && !tls
      ? [
          'note: this is plain http:, so others on the network can read tokens; pass --tls-cert and --tls-key, or put a TLS proxy in front of it',
        ]
      : []),
  ];
}
