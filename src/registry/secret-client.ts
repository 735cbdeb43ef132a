import * as v from 'valibot';
import type { Result } from '../core/index.ts';
import type { WebRegistryAddress } from './address.ts';
import { lacking, personAnswer, type ConfigRefusal } from './config-client.ts';
import { parseJson } from './formats/json-text.ts';
import type { Connection } from './http/connection.ts';
import type { Reply } from './http/exchange.ts';
import { MACHINE_BOUNDS, machineClient } from './machine-client.ts';
import type { RegistryError } from './registry-error.ts';
import { noRetries, retryBudget } from './retry-budget.ts';
import {
  savedSecret,
  secretList,
  secretValues,
  type SavedSecret,
  type SecretList,
  type SecretValues,
} from './secret-documents.ts';
import type { TokenRegistryOptions } from './token-registry.ts';

type Answered<T> = Promise<Result<T, ConfigRefusal>>;

/** The values for `${secret.NAME}` in the documents of machines. Each method rejects with a RegistryError. */
export interface SecretClient {
  /** What a machine is given: its own values. */
  readonly values: (machine: string, signal: AbortSignal) => Promise<SecretValues>;
  readonly list: (machine: string) => Answered<SecretList>;
  readonly set: (machine: string, name: string, value: string) => Answered<SavedSecret>;
  readonly remove: (machine: string, name: string) => Answered<SavedSecret>;
}

/** Opens a registry for the values of machines. The error is `bad-address` as for reports. */
export function secretClient(
  address: WebRegistryAddress,
  options: TokenRegistryOptions,
): Result<SecretClient, RegistryError> {
  const opened = machineClient(address, 'config', options);
  if (!opened.ok) return opened;
  const asking = opened.value;
  const changing = async (
    machine: string,
    name: string,
    change: { readonly method: 'PUT' | 'DELETE'; readonly body: string },
  ): Answered<SavedSecret> =>
    await asking(machine, `/secrets/${encodeURIComponent(name)}`, {
      ask: async (to, at) => await to.send(at, change, { budget: retryBudget() }),
      read: (reply) => personAnswer(reply, savedSecret, notKept),
    });
  return {
    ok: true,
    value: {
      // A machine asks again in its next round, so it repeats nothing.
      values: async (machine, signal) =>
        await asking(machine, '/secret-values', {
          ask: async (to, at) => await to.get(at, MACHINE_BOUNDS, { budget: noRetries(), signal }),
          read: valuesIn,
        }),
      list: async (machine) =>
        await asking(machine, '/secrets', {
          ask: async (to: Connection, at: URL) =>
            await to.get(at, MACHINE_BOUNDS, { budget: retryBudget() }),
          read: (reply) => personAnswer(reply, secretList, notKept),
        }),
      set: async (machine, name, value) =>
        await changing(machine, name, { method: 'PUT', body: JSON.stringify({ value }) }),
      remove: async (machine, name) =>
        await changing(machine, name, { method: 'DELETE', body: '{}' }),
    },
  };
}

function valuesIn(reply: Reply): SecretValues {
  const json = parseJson(reply.body.text);
  if (reply.status === 200 && v.is(secretValues, json)) return json.secrets;
  throw notKept(reply);
}

function notKept(reply: Reply): RegistryError {
  return lacking('it keeps no secrets of machines', reply);
}
