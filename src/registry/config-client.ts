import * as v from 'valibot';
import type { Result } from '../core/index.ts';
import { tagOf, type ServedConfig } from '../core/trust/served-config.ts';
import type { WebRegistryAddress } from './address.ts';
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
import type { Connection } from './http/connection.ts';
import type { Reply } from './http/exchange.ts';
import { problemIn } from './http/problem-document.ts';
import { MACHINE_BOUNDS, machineClient, type AskingOfMachine } from './machine-client.ts';
import type { TokenRegistryOptions } from './token-registry.ts';
import { RegistryError } from './registry-error.ts';
import { noRetries, retryBudget } from './retry-budget.ts';

/** Why a registry did not do what a person asked for. All text is escaped. */
export interface ConfigRefusal {
  readonly kind:
    | 'unknown-config'
    | 'stale-config'
    | 'no-configs'
    | 'no-secrets'
    | 'older-front'
    | 'bad-release'
    | 'too-large';
  readonly detail: string;
  /** What another person saved meanwhile, as lines of a difference; empty for other refusals. */
  readonly changes: readonly string[];
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

/** How a registry refuses documents of machines, what they share, and their secrets. */
const REFUSALS: ReadonlySet<string> = new Set([
  'unknown-config',
  'stale-config',
  'no-configs',
  'no-secrets',
  'older-front',
  'bad-release',
  'too-large',
]);

/** Opens a registry for the documents of machines. The error is `bad-address` as for reports. */
export function configClient(
  address: WebRegistryAddress,
  options: TokenRegistryOptions,
): Result<ConfigClient, RegistryError> {
  const asking = machineClient(address, 'config', options);
  if (!asking.ok) return asking;
  return { ok: true, value: { ...ofMachine(asking.value), ...ofPerson(asking.value) } };
}

/** A machine asks again in its next round, so it repeats nothing. */
function ofMachine(asking: AskingOfMachine): Pick<ConfigClient, 'served' | 'answer'> {
  return {
    served: async (machine, known, signal) =>
      await asking(machine, '', {
        ask: async (to, address) => {
          const request = { ...MACHINE_BOUNDS, etag: `"${known}"` };
          return await to.get(address, request, { budget: noRetries(), signal });
        },
        read: (reply) => servedIn(reply, known),
      }),
    answer: async (machine, answer, signal) =>
      await asking(machine, '/answer', {
        ask: async (to, address) => {
          const change = { method: 'PUT', body: JSON.stringify(answer) } as const;
          return await to.send(address, change, { budget: noRetries(), signal });
        },
        read: (reply) => {
          if (reply.status !== 200) throw notServed(reply);
        },
      }),
  };
}

async function get(to: Connection, address: URL): Promise<Reply> {
  return await to.get(address, MACHINE_BOUNDS, { budget: retryBudget() });
}

function ofPerson(asking: AskingOfMachine): Pick<ConfigClient, 'shown' | 'history' | 'send'> {
  return {
    shown: async (machine, revision) => {
      const query = revision === undefined ? '' : `?revision=${revision}`;
      return await asking(machine, query, {
        ask: get,
        read: (reply) => personAnswer(reply, shownConfig, notServed),
      });
    },
    history: async (machine) =>
      await asking(machine, '/history', {
        ask: get,
        read: (reply) => personAnswer(reply, configHistory, notServed),
      }),
    send: async (machine, path, body) =>
      await asking(machine, path, {
        ask: async (to, address) => {
          const change = { method: 'PUT', body: JSON.stringify(body) } as const;
          return await to.send(address, change, { budget: retryBudget() });
        },
        read: (reply) => personAnswer(reply, savedConfig, notServed),
      }),
  };
}

function servedIn(reply: Reply, known: string): ServedConfig | null | undefined {
  if (reply.status === 304) return undefined;
  if (reply.status === 204) return null;
  const json = parseJson(reply.body.text);
  if (reply.status !== 200 || !v.is(servedConfig, json)) throw notServedTo(reply);
  const served = { ...json, policy: json.policy ?? undefined };
  return tagOf(served) === known ? undefined : served;
}

/** The answer to a person, or the refusal of the registry. Throws what `unknown` makes of any other answer. */
export function personAnswer<S extends v.GenericSchema>(
  reply: Reply,
  schema: S,
  unknown: (reply: Reply) => RegistryError,
): Result<v.InferOutput<S>, ConfigRefusal> {
  const json = parseJson(reply.body.text);
  if (reply.status === 200 && v.is(schema, json)) return { ok: true, value: json };
  const { kind = '', detail = '', errors = [], changes = [] } = problemIn(reply.body.text) ?? {};
  if (!REFUSALS.has(kind)) throw unknown(reply);
  // Cast: it is one of these kinds.
  const of = kind as ConfigRefusal['kind'];
  return { ok: false, error: { kind: of, detail: errors[0] ?? detail, changes } };
}

/** The error for what a machine is answered. A registry says that it lacks the documents only to the token of a person. */
function notServedTo(reply: Reply): RegistryError {
  if (problemIn(reply.body.text)?.kind !== 'unknown-config') return notServed(reply);
  const message = 'the token is that of an operator, expected the one of this machine';
  return new RegistryError('registry-refused', message);
}

function notServed(reply: Reply): RegistryError {
  return lacking('it serves no documents of machines', reply);
}

/** The error for an answer of another kind, of which only what a problem says is quoted: it may have values of secrets. */
export function lacking(what: string, { status, body }: Reply): RegistryError {
  const detail = problemIn(body.text)?.detail ?? `got ${status}`;
  const found = status === 404 ? 'its modreg is an earlier one' : detail;
  return new RegistryError('not-a-registry', `${what}: ${found}`);
}
