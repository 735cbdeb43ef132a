import type { RunningRegistry } from '../../server/index.ts';
import { destination, pino, type Logger } from 'pino';
import { excerpt, quote } from '../../core/text/quote.ts';
import type { RegistryEvent } from '../../server/registry-options.ts';
import { serveRegistry } from '../../server/serve.ts';
import { jsonLine } from '../output/answer-json.ts';
import type { Outcome, Problem } from '../problem.ts';
import { DatabaseError } from '../../sqlite/database-error.ts';
import {
  databaseProblem,
  failed,
  openCatalogue,
  type CatalogueOptions,
} from './catalogue-options.ts';
import type { World } from '../world.ts';

export interface ServeCommandOptions extends CatalogueOptions {
  readonly host: string;
  readonly port: string;
  readonly spread: string;
}

const LARGEST_PORT = 65_535;
const LONGEST_SPREAD_MS = 3_600_000;
const STDERR = 2;
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
  const catalogue = openCatalogue(options, world, {
    mode: 'create',
    busyTimeoutMs: SERVER_BUSY_TIMEOUT_MS,
  });
  if (!catalogue.ok) return failed(catalogue.error);
  const log = pino({ base: null }, destination({ dest: STDERR, sync: true }));
  const place = { host: options.host, port };
  const clock = (): number => world.clock();
  try {
    const running = await serveRegistry(catalogue.value, place, {
      clock,
      spreadMs,
      log: (event) => logEvent(log, event),
    });
    return await serveUntilSignal(running, options, { world, log });
  } catch (error) {
    catalogue.value.close();
    return failed(
      error instanceof DatabaseError ? databaseProblem(error) : cannotListen(options, error),
    );
  }
}

async function serveUntilSignal(
  running: RunningRegistry,
  options: ServeCommandOptions,
  { world, log }: { readonly world: World; readonly log: Logger },
): Promise<Outcome> {
  const { address } = running;
  const json = jsonLine({ schema: 'modreg/registry-serve@1', address });
  world.print(options.json ? json : `listening on ${address}`);
  if (!options.json) for (const line of notesFor(address, options)) world.note(line);
  const signal = await world.untilSignal();
  log.info({ signal }, 'stopping');
  await running.close();
  const ending = signal === 'SIGINT' ? 'interrupted' : undefined;
  return { answer: [], notes: [], problems: [], ending };
}

function logEvent(log: Logger, event: RegistryEvent): void {
  if (event.kind === 'failed') {
    log.error({ error: excerpt(String(event.error)) }, 'a request failed');
  } else {
    log.info({ module_id: event.moduleId, version: event.version }, event.kind);
  }
}

function notesFor(address: string, { host, db }: ServeCommandOptions): string[] {
  const file = db === undefined ? '' : ` --db ${db}`;
  const isOpen = !/^(127\.|localhost$|::1$)/.test(host);
  return [
    `note: the modules are at ${address}/v1/modules, and the API description is at ${address}/v1/openapi.json`,
    `note: publish with modreg registry publish <module_id> <version>${file}; publishing over HTTP needs a token: modreg registry token create${file}`,
    ...(isOpen
      ? [
          'note: this is plain http:, so others on the network can read tokens; put a TLS proxy in front of it',
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
