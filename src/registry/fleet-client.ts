import * as v from 'valibot';
import type { ModuleId, Result } from '../core/index.ts';
import { nameOf, namespaceOf } from '../core/releases/module-id.ts';
import type { WebRegistryAddress } from './address.ts';
import { isJsonObject, type JsonObject } from './formats/json-object.ts';
import { parseJson } from './formats/json-text.ts';
import type { Connection } from './http/connection.ts';
import { withErrorContext } from './http/error-context.ts';
import type { Reply } from './http/exchange.ts';
import { problemIn } from './http/problem-document.ts';
import {
  joinedMachine,
  moduleStates,
  retiredMachine,
  type JoinedAnswer,
  type ModuleStates,
  type RetiredAnswer,
} from './fleet-documents.ts';
import type { MachineReport } from './machine-report.ts';
import { RegistryError } from './registry-error.ts';
import { noRetries, retryBudget } from './retry-budget.ts';
import { tokenRegistry, type TokenRegistryOptions } from './token-registry.ts';

/** The answer of a registry to a report. */
export type ReportReply =
  /** It has the outcomes up to this number. */
  | { readonly kind: 'known'; readonly knownTo: number; readonly isOlderState: boolean }
  /** It lacks outcomes after this number. */
  | { readonly kind: 'gap'; readonly knownTo: number }
  /** It cannot take the report: another machine has the same id, or the report has an error, or is too large. */
  | { readonly kind: 'duplicate-machine' | 'refused' | 'too-large'; readonly detail: string };

/** Sends reports to a registry, and reads what machines reported. Each method rejects with a RegistryError. */
export interface FleetClient {
  /** Sends a report once: the caller decides when it is sent again. */
  readonly report: (
    machine: string,
    report: MachineReport,
    signal: AbortSignal,
  ) => Promise<ReportReply>;
  /** The response to a request for `path`, such as `machines?limit=10`. */
  readonly read: (path: '' | `/${string}`) => Promise<JsonObject>;
  /** Retires a machine; undefined if the registry knows none with this id. A repetition changes nothing (D83). */
  readonly retire: (machine: string) => Promise<RetiredAnswer | undefined>;
  /** Exchanges the token, which is the code of an invitation, for that of the machine. It is sent once: a code is valid once (D194). */
  readonly join: (machine: string) => Promise<JoinedAnswer>;
  /** All states of a module. */
  readonly states: (moduleId: ModuleId) => Promise<readonly ModuleStates[]>;
}

/** The ids of a fleet and the states of a page. */
const ANSWER_BOUNDS = { largest: 32 * 1024 * 1024, mostTokens: 2_000_000 };

/** A front of a cluster has no logs of machines. */
const REFUSALS: ReadonlySet<number> = new Set([409]);

/** Opens a registry for reports. The error is `bad-address` if it has none, or if others could read the token on the way. */
export function fleetClient(
  address: WebRegistryAddress,
  doing: Parameters<typeof tokenRegistry>[1],
  options: TokenRegistryOptions,
): Result<FleetClient, RegistryError> {
  const opened = tokenRegistry(address, doing, options);
  if (!opened.ok) return opened;
  const { where, base, connection } = opened.value;
  const read: FleetClient['read'] = async (path) =>
    await fleetAnswer(await connection(), new URL(`v1/fleet${path}`, base));
  return {
    ok: true,
    value: {
      read,
      states: async (moduleId) => await allStates(read, moduleId),
      retire: async (machine) => await retiredBy(await connection(), base, machine),
      join: async (machine) => await joinedBy(await connection(), base, machine),
      async report(machine, report, signal) {
        const to = await connection();
        const reports = new URL(`v1/machines/${encodeURIComponent(machine)}/reports`, base);
        const change = { method: 'POST', body: JSON.stringify(report) } as const;
        return await to.redacting(async () => {
          const reply = await to.send(reports, change, { budget: noRetries(), signal });
          return withErrorContext(where, () => reportReply(reply));
        });
      },
    },
  };
}

async function fleetAnswer(to: Connection, url: URL): Promise<JsonObject> {
  const accepting = { accept: 'application/json', ...ANSWER_BOUNDS, readsDenial: true } as const;
  const request = { ...accepting, answered: REFUSALS };
  return await to.redacting(async () => {
    const { status, body } = await to.get(url, request, { budget: retryBudget() });
    if (REFUSALS.has(status)) {
      const { detail = `got ${status}` } = problemIn(body.text) ?? {};
      throw new RegistryError('registry-refused', `${to.where} refuses: ${detail}`);
    }
    return withErrorContext(to.where, () => {
      if (status === 404) throw notAFleet('it takes no reports: its modreg is an earlier one');
      const json = parseJson(body.text);
      if (isJsonObject(json)) return json;
      throw notAFleet('its answer is not an object');
    });
  });
}

async function allStates(
  read: FleetClient['read'],
  moduleId: ModuleId,
): Promise<readonly ModuleStates[]> {
  const all: ModuleStates[] = [];
  let after = 0;
  for (;;) {
    const path = `/modules/${namespaceOf(moduleId)}/${nameOf(moduleId)}?after=${after}` as const;
    const { states, next } = await read(path);
    if (!Array.isArray(states)) throw notAFleet('/states is not a list');
    for (const [place, one] of states.entries()) {
      // Without it, its machines would be missing from every count.
      if (!v.is(moduleStates, one))
        throw notAFleet(`/states/${place} is not a state with its machines`);
      all.push(one);
    }
    if (typeof next !== 'number' || next <= after) return all;
    after = next;
  }
}

function reportReply({ status, body }: Reply): ReportReply {
  const json = parseJson(body.text);
  const knownTo = isJsonObject(json) ? json['known_to'] : undefined;
  const isNumber = Number.isSafeInteger(knownTo) && Number(knownTo) >= 0;
  if (status === 200 && isNumber) {
    // An earlier registry does not say it.
    const isOlderState = isJsonObject(json) && json['older_state'] === true;
    return { kind: 'known', knownTo: Number(knownTo), isOlderState };
  }
  const { kind, detail = `got ${status}` } = problemIn(body.text) ?? {};
  if (kind === 'gap' && isNumber) return { kind, knownTo: Number(knownTo) };
  if (kind === 'duplicate-machine') return { kind, detail };
  if (status === 413) return { kind: 'too-large', detail };
  if (status === 422) return { kind: 'refused', detail };
  throw notAFleet(status === 404 ? 'it takes no reports' : `got ${status}`);
}

async function retiredBy(
  to: Connection,
  base: URL,
  machine: string,
): Promise<RetiredAnswer | undefined> {
  const address = new URL(`v1/fleet/machines/${encodeURIComponent(machine)}/retired`, base);
  const change = { method: 'PUT', body: '{}' } as const;
  return await to.redacting(async () => {
    const reply = await to.send(address, change, { budget: retryBudget() });
    return withErrorContext(to.where, () => retiredReply(reply));
  });
}

function retiredReply({ status, body }: Reply): RetiredAnswer | undefined {
  const json = parseJson(body.text);
  if (status === 200 && v.is(retiredMachine, json)) return json;
  const { kind } = problemIn(body.text) ?? {};
  if (status === 404 && kind === 'unknown-machine') return undefined;
  throw notAFleet(
    status === 404 ? 'it retires no machines: its modreg is an earlier one' : `got ${status}`,
  );
}

async function joinedBy(to: Connection, base: URL, machine: string): Promise<JoinedAnswer> {
  const change = { method: 'POST', body: JSON.stringify({ machine }) } as const;
  return await to.redacting(async () => {
    const reply = await to.send(new URL('v1/join', base), change, { budget: noRetries() });
    return withErrorContext(to.where, () => {
      const json = parseJson(reply.body.text);
      if (reply.status === 201 && v.is(joinedMachine, json) && json.part_id === machine)
        return json;
      const problem = problemIn(reply.body.text);
      if (problem && reply.status === 422) throw notAFleet(problem.detail);
      throw notAFleet(
        reply.status === 404
          ? 'no machine can join: its modreg is an earlier one'
          : `got ${reply.status}`,
      );
    });
  });
}

function notAFleet(message: string): RegistryError {
  return new RegistryError('not-a-registry', message);
}
