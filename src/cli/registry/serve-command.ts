import type { Catalogue, RunningRegistry } from '../../server/index.ts';
import { excerpt, quote } from '../../core/text/quote.ts';
import { systemClock } from '../../registry/clock.ts';
import type { Result } from '../../core/index.ts';
import { watchForLoss } from '../../server/file-loss.ts';
import { serveRegistry } from '../../server/serve.ts';
import { readTlsPair, type TlsFiles } from '../../server/tls-files.ts';
import { TlsFilesError } from '../../server/tls-reload.ts';
import { jsonLine } from '../output/answer-json.ts';
import type { Outcome, Problem } from '../problem.ts';
import { DatabaseError } from '../../sqlite/database-error.ts';
import {
  databaseProblem,
  failed,
  openCatalogue,
  modeOf,
  usage,
  type CreatingOptions,
} from './catalogue-options.ts';
import { watchForDamage } from './damage-watch.ts';
import { damageIn } from './quick-check.ts';
import { logEvent, registryLog } from './registry-log.ts';
import type { World } from '../world.ts';

export interface ServeCommandOptions extends CreatingOptions {
  readonly host: string;
  readonly port: string;
  readonly spread: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
}

const LARGEST_PORT = 65_535;
const LONGEST_SPREAD_MS = 3_600_000;
/** Short, because the server answers no request while it waits for another process. */
const SERVER_BUSY_TIMEOUT_MS = 100;

/** `modreg registry serve`: serves the registry until SIGINT or SIGTERM. */
export async function serveCommand(options: ServeCommandOptions, world: World): Promise<Outcome> {
  const port = wholeNumber('--port', options.port, LARGEST_PORT);
  const spreadMs = wholeNumber('--spread', options.spread, LONGEST_SPREAD_MS);
  if (typeof port !== 'number') return failed(port);
  if (typeof spreadMs !== 'number') return failed(spreadMs);
  if (options.host === '') {
    return failed({ severity: 'error', kind: 'usage', message: '--host is empty' });
  }
  const tls = tlsOf(options);
  if (!tls.ok) return failed(tls.error);
  const catalogue = openCatalogue(options, world, {
    ...modeOf(options),
    busyTimeoutMs: SERVER_BUSY_TIMEOUT_MS,
  });
  if (!catalogue.ok) return failed(catalogue.error);
  const damage = await damageIn(catalogue.value.path);
  if (damage) {
    catalogue.value.close();
    return failed(lossProblem(damage));
  }
  const log = registryLog(world);
  const place = { host: options.host, port };
  const clock = { ...systemClock, now: () => world.clock() };
  try {
    const running = await serveRegistry(catalogue.value, place, {
      clock,
      spreadMs,
      tls: tls.value,
      log: (event) => logEvent(log, event),
    });
    return await serveUntilSignal(running, options, { world, log, catalogue: catalogue.value });
  } catch (error) {
    return failed(startProblem(options, error));
  } finally {
    catalogue.value.close();
  }
}

async function serveUntilSignal(
  running: RunningRegistry,
  options: ServeCommandOptions,
  {
    world,
    log,
    catalogue,
  }: {
    readonly world: World;
    readonly log: ReturnType<typeof registryLog>;
    readonly catalogue: Catalogue;
  },
): Promise<Outcome> {
  const { address } = running;
  const json = jsonLine({ schema: 'modreg/registry-serve@1', address });
  world.print(options.json ? json : `listening on ${address}`);
  if (!options.json) for (const line of notesFor(address, options)) world.note(line);
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
  return { ...problem, hint: 'the file is kept as it is: restore a backup, see docs/registry.md' };
}

/** The files for TLS, which were readable a moment ago. */
function tlsOf({
  tlsCert: certificate,
  tlsKey: key,
}: ServeCommandOptions): Result<TlsFiles | undefined, Problem> {
  if (certificate === undefined && key === undefined) return { ok: true, value: undefined };
  if (certificate === undefined) {
    return {
      ok: false,
      error: usage('--tls-key is given without --tls-cert: pass both, or neither'),
    };
  }
  if (key === undefined) {
    return {
      ok: false,
      error: usage('--tls-cert is given without --tls-key: pass both, or neither'),
    };
  }
  // Checked before a registry file is created.
  const pair = readTlsPair({ certificate, key });
  if (!pair.ok) return { ok: false, error: tlsProblem(pair.error) };
  return { ok: true, value: { certificate, key } };
}

function tlsProblem(message: string): Problem {
  return { severity: 'error', kind: 'unreadable-file', message };
}

function startProblem(options: ServeCommandOptions, error: unknown): Problem {
  if (error instanceof DatabaseError) return lossProblem(error);
  if (error instanceof TlsFilesError) return tlsProblem(error.message);
  return cannotListen(options, error);
}

function notesFor(address: string, { host, db, tlsCert }: ServeCommandOptions): string[] {
  const file = db === undefined ? '' : ` --db ${db}`;
  const isOpen = !/^(127\.|localhost$|::1$)/.test(host);
  return [
    `note: the modules are at ${address}/v1/modules, and the API description is at ${address}/v1/openapi.json`,
    `note: publish with modreg registry publish <module_id> <version>${file}; publishing over HTTP needs a token: modreg registry token create --name <name> --scope publish${file}`,
    ...(isOpen && tlsCert === undefined
      ? [
          'note: this is plain http:, so others on the network can read tokens; pass --tls-cert and --tls-key, or put a TLS proxy in front of it',
        ]
      : []),
  ];
}

function wholeNumber(option: string, text: string, most: number): number | Problem {
  if (/^\d{1,7}$/.test(text) && Number(text) <= most) return Number(text);
  const message = `${option} is ${quote(text)}, expected a whole number from 0 to ${most}`;
  return { severity: 'error', kind: 'usage', message };
}

function cannotListen({ host, port }: ServeCommandOptions, error: unknown): Problem {
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) throw error;
  const message = `cannot listen on ${excerpt(host)}, port ${port} (${code})`;
  const hint = code === 'EADDRINUSE' ? '--port 0 selects a free port' : undefined;
  return { severity: 'error', kind: 'usage', message, hint };
}
