import * as v from 'valibot';
import type { Result } from '../core/index.ts';
import type { WebRegistryAddress } from './address.ts';
import { lacking, personAnswer, type ConfigRefusal } from './config-client.ts';
import {
  fragmentList,
  savedFragment,
  shownFragment,
  type FragmentList,
  type SavedFragment,
  type ShownFragment,
} from './fragment-documents.ts';
import { withErrorContext } from './http/error-context.ts';
import type { Connection } from './http/connection.ts';
import type { Reply } from './http/exchange.ts';
import { MACHINE_BOUNDS } from './machine-client.ts';
import type { RegistryError } from './registry-error.ts';
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
      return withErrorContext(where, () => personAnswer(reply, as, notKept));
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

function notKept(reply: Reply): RegistryError {
  return lacking('it keeps no fragments', reply);
}
