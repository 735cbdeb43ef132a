import * as v from 'valibot';
import { escapeUnprintable } from '../core/text/quote.ts';
import { isRandomId } from '../core/text/random-id.ts';
import { parseTime } from '../core/text/rfc3339.ts';
import { COMMAND_KINDS, type CommandKind } from '../core/trust/command-text.ts';
import { isKeyId, isSignature } from '../core/trust/key.ts';

/*
 * The schemas of what a registry takes and answers about commands to machines. Their types, their readers and the OpenAPI document are
 * derived from them.
 */

/** What a machine answers. `lost`: it does not know whether it has carried the command out. */
export const RESULTS = ['done', 'refused', 'expired', 'lost'] as const;

export const DEFAULT_EXPIRY_S = 3600;
export const LONGEST_EXPIRY_S = 86_400;
const LONGEST_REASON = 200;
const LONGEST_NAME = 256;
const LONGEST_DETAIL = 1000;
/** A machine keeps no more outcomes than a registry keeps commands. */
const MOST_OUTCOMES = 100;
const HIGHEST_COMMAND = 1_000_000_000;
const MOST_SIGNATURES = 8;

const text = v.string('expected text');
const plain = v.check<string, string>(
  (found) => found === escapeUnprintable(found),
  'expected text without control characters',
);

function bounded(longest: number): v.GenericSchema<string> {
  const expected = `expected 1 to ${longest} characters`;
  const spaces = v.regex(/^$|\S/, 'expected more than spaces');
  return v.pipe(text, v.minLength(1, expected), v.maxLength(longest, expected), spaces, plain);
}

function whole(lowest: number, highest: number): v.GenericSchema<number> {
  const expected = `expected a whole number from ${lowest} to ${highest}`;
  return v.pipe(
    v.number(expected),
    v.safeInteger(expected),
    v.minValue(lowest, expected),
    v.maxValue(highest, expected),
  );
}

const number = whole(1, HIGHEST_COMMAND);
const kind = v.picklist(COMMAND_KINDS, `expected one of ${COMMAND_KINDS.join(', ')}`);

const time = v.pipe(
  text,
  v.check((found) => parseTime(found).ok, 'expected a time, such as 2026-11-21T01:02:03Z'),
);

/** What operators signed: the text has these times, and the key of the command as its id (D396). */
const signed = v.strictObject(
  {
    given_at: time,
    expires_at: time,
    signatures: v.pipe(
      v.record(
        v.pipe(v.string(), v.check(isKeyId, 'expected the id of a key')),
        v.pipe(
          text,
          v.check<string, string>((found) => isSignature(found), 'expected 64 bytes in base64'),
        ),
      ),
      v.check((found) => {
        const { length } = Object.keys(found);
        return length > 0 && length <= MOST_SIGNATURES;
      }, `expected 1 to ${MOST_SIGNATURES} signatures`),
    ),
  },
  'expected an object with given_at, expires_at and signatures',
);

/** A command that a person gives. */
export const newCommand = v.strictObject(
  {
    key: v.pipe(text, v.check(isRandomId, 'expected 16 random bytes in base64url')),
    kind,
    module: v.optional(v.nullable(bounded(LONGEST_NAME)), null),
    for: v.optional(v.nullable(text), null),
    version: v.optional(v.nullable(bounded(LONGEST_NAME)), null),
    reason: bounded(LONGEST_REASON),
    expires_in: v.optional(whole(1, LONGEST_EXPIRY_S), DEFAULT_EXPIRY_S),
    // Its end is in place of `expires_in`.
    signed: v.optional(signed),
  },
  'expected an object with key, kind, module, for, version, reason, expires_in and signed',
);
export type NewCommand = Readonly<v.InferOutput<typeof newCommand>>;

const given = {
  number,
  kind,
  module: v.nullable(text),
  for: v.nullable(text),
  // An earlier modreg does not know it.
  version: v.optional(v.nullable(text)),
  reason: text,
  by: text,
  expires_at: text,
  // An earlier modreg knows none. What it has is judged by the machine.
  signed: v.optional(v.object({ id: text, given_at: text, signatures: v.record(text, text) })),
};

/** What a machine reads: the commands that wait, and the time of the registry. */
export const waitingCommands = v.object({
  machine: text,
  nonce: text,
  now: text,
  commands: v.array(v.object({ ...given, kind: text })),
});
export type WaitingCommands = Readonly<v.InferOutput<typeof waitingCommands>>;
export type WaitingCommand = WaitingCommands['commands'][number];

/** A command that this modreg can carry out. */
export interface KnownCommand extends WaitingCommand {
  readonly kind: CommandKind;
}

/** Said of a machine that may never take a command. */
export const NOT_ASKING =
  'it has not asked for commands: its agent or poller follows this registry only with --config-from';

/** A command as its machine types it (D328), without the name of the program. */
export function typed({ kind: command, module, version }: TypedCommand): string {
  const name = command === 'unquarantine' ? 'quarantine lift' : command;
  return [name, module ?? '', version ?? ''].filter((part) => part !== '').join(' ');
}

type TypedCommand = Pick<WaitingCommand, 'kind' | 'module' | 'version'>;

/** A registry of a later modreg may have commands that this one does not know. */
export function isKnown(command: WaitingCommand): command is KnownCommand {
  return COMMAND_KINDS.some((known) => known === command.kind);
}

const outcome = v.strictObject(
  {
    number,
    result: v.picklist(RESULTS, `expected one of ${RESULTS.join(', ')}`),
    detail: v.pipe(
      text,
      v.maxLength(LONGEST_DETAIL, `expected at most ${LONGEST_DETAIL} characters`),
    ),
  },
  'expected an object with number, result and detail',
);
export type CommandOutcome = Readonly<v.InferOutput<typeof outcome>>;

/** What a machine answers. */
export const commandOutcomes = v.strictObject(
  {
    outcomes: v.pipe(
      v.array(outcome, 'expected a list'),
      v.maxLength(MOST_OUTCOMES, `expected at most ${MOST_OUTCOMES} outcomes`),
    ),
  },
  'expected an object with outcomes',
);

const listed = {
  ...given,
  at: text,
  state: v.picklist(['waiting', ...RESULTS, 'dropped']),
  detail: v.nullable(text),
  answered_at: v.nullable(text),
};

/** What a person reads, the newest first. */
export const commandList = v.object({ commands: v.array(v.object(listed)) });
export type CommandList = Readonly<v.InferOutput<typeof commandList>>;

/** The answer to a command that a person gives. */
export const givenCommand = v.object({
  machine: text,
  number,
  kind,
  expires_at: text,
  asks: v.pipe(
    v.optional(v.literal(false)),
    v.description('Present if the machine has not asked the registry for commands so far'),
  ),
});
export type GivenCommand = Readonly<v.InferOutput<typeof givenCommand>>;

/** The answer to a command that a person gives a group: the machines that have it, and those that cannot be commanded, with the reason. */
export const givenToGroup = v.object({
  group: text,
  kind,
  expires_at: text,
  given: v.array(v.object({ machine: text, number })),
  refused: v.array(v.object({ machine: text, detail: text })),
});
export type GivenToGroup = Readonly<v.InferOutput<typeof givenToGroup>>;

/** The machines of a group, and the newest commands to them, the newest first. */
export const groupCommandList = v.object({
  group: text,
  // An earlier modreg does not name them.
  machines: v.optional(v.object({ asking: v.array(text), others: v.array(text) })),
  more: v.boolean(),
  commands: v.array(v.object({ machine: text, ...listed })),
});
export type GroupCommandList = Readonly<v.InferOutput<typeof groupCommandList>>;

/** By their names in the OpenAPI document. */
export const COMMAND_DOCUMENTS = {
  NewCommand: newCommand,
  WaitingCommands: waitingCommands,
  CommandOutcomes: commandOutcomes,
  CommandList: commandList,
  GivenCommand: givenCommand,
  GivenToGroup: givenToGroup,
  GroupCommandList: groupCommandList,
};
