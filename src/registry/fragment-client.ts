import * as v from 'valibot';
import type { Result } from '../core/index.ts';
import type { WebRegistryAddress } from './address.ts';
import { REFUSALS, type ConfigRefusal } from './config-client.ts';
import {
  fragmentList,
  savedFragment,
  shownFragment,
  type FragmentList,
  type SavedFragment,
  type ShownFragment,
} from './fragment-documents.ts';
import { parseJson } from './formats/json-text.ts';
import { withErrorContext } from './http/error-context.ts';
import type { Connection } from './http/connection.ts';
import type { Reply } from './http/exchange.ts';
import { problemIn } from './http/problem-document.ts';
import { MACHINE_BOUNDS } from './machine-client.ts';
import { RegistryError } from './registry-error.ts';
import { retryBudget } from './retry-budget.ts';
import { tokenRegistry, type TokenRegistryOptions } from './token-registry.ts';

type Answered<T> = Promise<Result<T, ConfigRefusal>>;

/** The fragments of a registry. Each method rejects with a RegistryError. */
export interface FragmentClient {
  readonly list: () => Answered<FragmentList>;
  readonly shown: (name: string) => Answered<ShownFragment>;
  /** Saves a revision, or says what that would do. A repetition changes nothing more. */
  readonly send: (name: string, body: object) => Answered<SavedFragment>;
}

/** Opens a registry for its fragments. The error is `bad-address` as for reports. */
export function fragmentClient(
  address: WebRegistryAddress,
  options: TokenRegistryOptions,
): Result<FragmentClient, RegistryError> {
  const opened = tokenRegistry(address, 'configure machines of', options);
  if (!opened.ok) return opened;
  const { where, base, connection } = opened.value;
  const asking = async <S extends v.GenericSchema>(
    path: string,
    as: S,
    ask: (to: Connection, at: URL) => Promise<Reply>,
  ): Answered<v.InferOutput<S>> => {
    const to = await connection();
    return await to.redacting(async () => {
      const reply = await ask(to, new URL(`v1/fragments${path}`, base));
      return withErrorContext(where, () => answerIn(reply, as));
    });
  };
  return {
    ok: true,
    value: {
      list: async () => await asking('', fragmentList, get),
      shown: async (name) => await asking(`/${encodeURIComponent(name)}`, shownFragment, get),
      send: async (name, body) =>
        await asking(`/${encodeURIComponent(name)}`, savedFragment, async (to, at) => {
          const change = { method: 'PUT', body: JSON.stringify(body) } as const;
          return await to.send(at, change, { budget: retryBudget() });
        }),
    },
  };
}

async function get(to: Connection, at: URL): Promise<Reply> {
  return await to.get(at, MACHINE_BOUNDS, { budget: retryBudget() });
}

function answerIn<S extends v.GenericSchema>(
  reply: Reply,
  schema: S,
): Result<v.InferOutput<S>, ConfigRefusal> {
  const json = parseJson(reply.body.text);
  if (reply.status === 200 && v.is(schema, json)) return { ok: true, value: json };
  const { kind = '', detail = '', errors = [] } = problemIn(reply.body.text) ?? {};
  if (!REFUSALS.has(kind)) {
    const found = reply.status === 404 ? 'its modreg is an earlier one' : detail;
    throw new RegistryError('not-a-registry', `it keeps no fragments: ${found}`);
  }
  // Cast: it is one of these kinds.
  const of = kind as ConfigRefusal['kind'];
  return { ok: false, error: { kind: of, detail: errors[0] ?? detail } };
}
