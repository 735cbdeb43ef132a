import { randomBytes } from 'node:crypto';
import * as v from 'valibot';
import type { Result } from '../core/index.ts';
import type { WebRegistryAddress } from './address.ts';
import {
  commandList,
  givenCommand,
  givenToGroup,
  groupCommandList,
  waitingCommands,
  type CommandList,
  type CommandOutcome,
  type GivenCommand,
  type GivenToGroup,
  type GroupCommandList,
  type NewCommand,
  type WaitingCommands,
} from './command-documents.ts';
import { parseJson } from './formats/json-text.ts';
import type { Reply } from './http/exchange.ts';
import { problemIn } from './http/problem-document.ts';
import { MACHINE_BOUNDS, machineClient, type AskingOfMachine } from './machine-client.ts';
import type { TokenRegistryOptions } from './token-registry.ts';
import { RegistryError } from './registry-error.ts';
import type { Proof } from './remote-registry.ts';
import { noRetries, retryBudget } from './retry-budget.ts';

/** Why a registry did not do what a person asked for. All text is escaped. */
export interface CommandRefusal {
  readonly kind: 'no-commands' | 'too-many-commands' | 'older-front' | 'bad-release' | 'too-large';
  readonly detail: string;
}

type Answered<T> = Promise<Result<T, CommandRefusal>>;

/** The commands to machines in a registry. Each method rejects with a RegistryError. */
export interface CommandClient {
  /** The commands that wait for a machine, in an answer to this question alone (D295); undefined if the registry is an earlier one. */
  readonly waiting: (
    machine: string,
    proof: Proof | undefined,
    signal: AbortSignal,
  ) => Promise<WaitingCommands | undefined>;
  /** Tells the registry what became of commands. A repetition changes nothing more. */
  readonly answer: (
    machine: string,
    outcomes: readonly CommandOutcome[],
    signal: AbortSignal,
  ) => Promise<void>;
  /** The newest first. */
  readonly list: (machine: string) => Answered<CommandList>;
  /** Gives a command, once however often the request is repeated. */
  readonly give: (machine: string, command: CommandToGive) => Answered<GivenCommand>;
  /** The same for the machines of a group. */
  readonly listOfGroup: (group: string) => Answered<GroupCommandList>;
  readonly giveGroup: (group: string, command: CommandToGive) => Answered<GivenToGroup>;
}

/** A registry of an earlier modreg knows no version and no signatures. The key is a new one unless it is signed. */
export type CommandToGive = Omit<NewCommand, 'key' | 'version' | 'signed'> &
  Partial<Pick<NewCommand, 'key' | 'version' | 'signed'>>;

const KINDS = new Set([
  'no-commands',
  'too-many-commands',
  'older-front',
  'bad-release',
  'too-large',
]);
/** The header with the signature of an answer (D148). */
const SIGNATURE = 'modreg-signature';
const NONCE_BYTES = 16;

/** Opens a registry for commands to machines. The error is `bad-address` as for reports. */
export function commandClient(
  address: WebRegistryAddress,
  options: TokenRegistryOptions,
): Result<CommandClient, RegistryError> {
  const asking = machineClient(address, 'commands', options);
  if (!asking.ok) return asking;
  return { ok: true, value: { ...ofMachine(asking.value), ...ofPerson(asking.value) } };
}

/** Names one command, or one question. */
export function newKey(): string {
  return randomBytes(NONCE_BYTES).toString('base64url');
}

/** A machine asks again in its next round, so it repeats nothing. */
function ofMachine(asking: AskingOfMachine): Pick<CommandClient, 'waiting' | 'answer'> {
  return {
    async waiting(machine, proof, signal) {
      const nonce = proof?.nonce ?? newKey();
      const reply = await asking(machine, `?nonce=${nonce}`, {
        ask: async (to, address) =>
          await to.get(address, MACHINE_BOUNDS, { budget: noRetries(), signal }),
        read: (found) => found,
      });
      if (reply.status === 404) return undefined;
      const json = parseJson(reply.body.text);
      if (reply.status !== 200 || !v.is(waitingCommands, json)) throw notGiven(reply);
      if (json.nonce !== nonce || json.machine !== machine) throw otherQuestion();
      const signature = reply.headers.get(SIGNATURE);
      const { digest: sha256 } = reply.body;
      await proof?.check({ question: `commands ${machine}`, sha256, signature });
      return json;
    },
    answer: async (machine, outcomes, signal) =>
      await asking(machine, '/outcomes', {
        ask: async (to, address) => {
          const change = { method: 'PUT', body: JSON.stringify({ outcomes }) } as const;
          return await to.send(address, change, { budget: noRetries(), signal });
        },
        read: (reply) => {
          if (reply.status !== 200) throw notGiven(reply);
        },
      }),
  };
}

function otherQuestion(): RegistryError {
  const message = 'its answer about commands is one to another question';
  const hint = 'a proxy before the registry must keep no answers';
  return new RegistryError('registry-untrusted', message, { hint });
}

function ofPerson(asking: AskingOfMachine): Omit<CommandClient, 'waiting' | 'answer'> {
  return {
    list: async (machine) => await listed(asking, machine, commandList),
    give: async (machine, command) => await given(asking, machine, { command, as: givenCommand }),
    listOfGroup: async (group) => await listed(asking, { group }, groupCommandList),
    giveGroup: async (group, command) =>
      await given(asking, { group }, { command, as: givenToGroup }),
  };
}

type Of = Parameters<AskingOfMachine>[0];

async function listed<S extends v.GenericSchema>(
  asking: AskingOfMachine,
  of: Of,
  as: S,
): Answered<v.InferOutput<S>> {
  return await asking(of, '', {
    ask: async (to, address) => await to.get(address, MACHINE_BOUNDS, { budget: retryBudget() }),
    read: (reply) => answerIn(reply, as),
  });
}

async function given<S extends v.GenericSchema>(
  asking: AskingOfMachine,
  of: Of,
  { command, as }: { readonly command: CommandToGive; readonly as: S },
): Answered<v.InferOutput<S>> {
  const body = JSON.stringify({ key: newKey(), ...command });
  return await asking(of, '', {
    ask: async (to, address) =>
      await to.send(address, { method: 'PUT', body }, { budget: retryBudget() }),
    read: (reply) => answerIn(reply, as),
  });
}

function answerIn<S extends v.GenericSchema>(
  reply: Reply,
  schema: S,
): Result<v.InferOutput<S>, CommandRefusal> {
  const json = parseJson(reply.body.text);
  if (reply.status === 200 && v.is(schema, json)) return { ok: true, value: json };
  const { kind = '', detail = '', errors = [] } = problemIn(reply.body.text) ?? {};
  if (!KINDS.has(kind)) throw notGiven(reply);
  // Cast: it is one of these kinds.
  const of = kind as CommandRefusal['kind'];
  return { ok: false, error: { kind: of, detail: errors[0] ?? detail } };
}

function notGiven({ status, body }: Reply): RegistryError {
  const problem = problemIn(body.text);
  const found =
    status === 404 ? 'its modreg is an earlier one' : (problem?.detail ?? `got ${status}`);
  return new RegistryError('not-a-registry', `it gives machines no commands: ${found}`);
}
