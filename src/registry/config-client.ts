import * as v from 'valibot';
import type { Result } from '../core/index.ts';
import { excerpt } from '../core/text/quote.ts';
import { tagOf, type ServedConfig } from '../core/trust/served-config.ts';
import type { WebRegistryAddress } from './address.ts';
import { systemRandom } from './clock.ts';
import {
  configHistory,
  savedConfig,
  servedConfig,
  shownConfig,
  type ConfigAnswer,
  type ConfigHistory,
  type SavedConfig,
  type ShownConfig,
} from './config-documents.ts';
import { parseJson } from './formats/json-text.ts';
import { baseOf, type HttpRegistryOptions } from './http-registry.ts';
import type { Connection } from './http/connection.ts';
import { withErrorContext } from './http/error-context.ts';
import type { Reply } from './http/exchange.ts';
import { DEFAULT_LIMITS } from './http/limits.ts';
import { problemIn } from './http/problem-document.ts';
import { memoizeUntilError } from './memoize-until-error.ts';
import { RegistryError } from './registry-error.ts';
import { addressError } from './registry-writer.ts';
import { noRetries, retryBudget, type RetryBudget } from './retry-budget.ts';

/** Why a registry did not do what a person asked for. All text is escaped. */
export interface ConfigRefusal {
  readonly kind: 'unknown-config' | 'stale-config' | 'no-configs' | 'bad-release' | 'too-large';
  readonly detail: string;
}

type Answered<T> = Promise<Result<T, ConfigRefusal>>;

/** The documents of machines in a registry. Each method rejects with a RegistryError. */
export interface ConfigClient {
  /** What a machine is served, which knows the documents with the tag `known`; undefined if that is what it knows, null if nothing is served. */
  readonly served: (
    machine: string,
    known: string,
    signal: AbortSignal,
  ) => Promise<ServedConfig | null | undefined>;
  /** Tells the registry what the machine does with them. */
  readonly answer: (machine: string, answer: ConfigAnswer, signal: AbortSignal) => Promise<void>;
  /** A revision, the newest by default, as a person reads it. */
  readonly shown: (machine: string, revision?: number) => Answered<ShownConfig>;
  readonly history: (machine: string) => Answered<ConfigHistory>;
  /** Sends what a person saves, or the signatures of operators. A repetition changes nothing more. */
  readonly send: (machine: string, path: '' | '/signatures', body: object) => Answered<SavedConfig>;
}

/** Texts of documents are few tokens, and escapes make them longer. */
const BOUNDS = {
  accept: 'application/json',
  largest: 8 * 1024 * 1024,
  mostTokens: 100_000,
  readsDenial: true,
  answered: new Set([204, 404, 409]),
} as const;

const KINDS = new Set(['unknown-config', 'stale-config', 'no-configs', 'bad-release', 'too-large']);

/** Opens a registry for the documents of machines. The error is `bad-address` as for reports. */
export function configClient(
  { kind, url }: WebRegistryAddress,
  options: Omit<HttpRegistryOptions, 'allowHttp'> & Required<Pick<HttpRegistryOptions, 'clock'>>,
): Result<ConfigClient, RegistryError> {
  const where = `the registry ${excerpt(`${url.origin}${url.pathname}`.replace(/\/$/, ''))}`;
  const error = addressError({ kind, url }, where, 'configure machines of');
  if (error) return { ok: false, error };
  const base = baseOf(kind, url);
  const connection = memoizeUntilError(async () => {
    const { connect } = await import('./http/connection.ts');
    const { random = systemRandom, onRetry = () => undefined } = options;
    return connect(where, {
      ...options,
      random,
      onRetry,
      limits: { ...DEFAULT_LIMITS, ...options.limits },
    });
  });
  const at = (machine: string, path: string): URL =>
    new URL(`v1/machines/${encodeURIComponent(machine)}/config${path}`, base);
  const asking = async <T>(
    ask: (to: Connection) => Promise<Reply>,
    read: (reply: Reply) => T,
  ): Promise<T> => {
    const to = await connection();
    return await to.redacting(async () => {
      const reply = await ask(to);
      return withErrorContext(where, () => read(reply));
    });
  };
  const reading = async <S extends v.GenericSchema>(
    address: URL,
    schema: S,
    budget: RetryBudget = retryBudget(),
  ): Answered<v.InferOutput<S>> =>
    await asking(
      async (to) => await to.get(address, BOUNDS, { budget }),
      (reply) => answerIn(reply, schema),
    );
  return {
    ok: true,
    value: {
      served: async (machine, known, signal) =>
        await asking(
          async (to) =>
            await to.get(
              at(machine, ''),
              { ...BOUNDS, etag: `"${known}"` },
              { budget: noRetries(), signal },
            ),
          (reply) => servedIn(reply, known),
        ),
      async answer(machine, answer, signal) {
        const change = { method: 'PUT', body: JSON.stringify(answer) } as const;
        const round = { budget: noRetries(), signal };
        await asking(
          async (to) => await to.send(at(machine, '/answer'), change, round),
          (reply) => {
            if (reply.status !== 200) throw notServed(reply);
          },
        );
      },
      shown: async (machine, revision) => {
        const query = revision === undefined ? '' : `?revision=${revision}`;
        return await reading(at(machine, query), shownConfig);
      },
      history: async (machine) => await reading(at(machine, '/history'), configHistory),
      async send(machine, path, body) {
        const change = { method: 'PUT', body: JSON.stringify(body) } as const;
        return await asking(
          async (to) => await to.send(at(machine, path), change, { budget: retryBudget() }),
          (reply) => answerIn(reply, savedConfig),
        );
      },
    },
  };
}

function servedIn(reply: Reply, known: string): ServedConfig | null | undefined {
  if (reply.status === 304) return undefined;
  if (reply.status === 204) return null;
  const json = parseJson(reply.body.text);
  if (reply.status !== 200 || !v.is(servedConfig, json)) throw notServed(reply);
  const served = { ...json, policy: json.policy ?? undefined };
  return tagOf(served) === known ? undefined : served;
}

function answerIn<S extends v.GenericSchema>(
  reply: Reply,
  schema: S,
): Result<v.InferOutput<S>, ConfigRefusal> {
  const json = parseJson(reply.body.text);
  if (reply.status === 200 && v.is(schema, json)) return { ok: true, value: json };
  const { kind = '', detail = '', errors = [] } = problemIn(reply.body.text) ?? {};
  if (!KINDS.has(kind)) throw notServed(reply);
  // Cast: it is one of these kinds.
  const of = kind as ConfigRefusal['kind'];
  return { ok: false, error: { kind: of, detail: errors[0] ?? detail } };
}

function notServed({ status, body }: Reply): RegistryError {
  const problem = problemIn(body.text);
  const found =
    status === 404 ? 'its modreg is an earlier one' : (problem?.detail ?? `got ${status}`);
  return new RegistryError('not-a-registry', `it serves no documents of machines: ${found}`);
}
