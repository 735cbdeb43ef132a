import type { CommandKind } from '../../core/trust/command-text.ts';
import { excerpt } from '../../core/text/quote.ts';
import type { Outcome } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import {
  NOT_ASKING,
  type CommandList,
  type GivenToGroup,
} from '../../registry/command-documents.ts';
import type { ConfigOptions } from '../../site/config-options.ts';
import { keysIn, outcomeOfCommand, signersOf } from '../../site/command-words.ts';
import type { SignedBy } from '../../site/signed-command.ts';
import type { SigningOptions } from '../../site/signing.ts';
import {
  giveGroupCommand,
  giveMachineCommand,
  groupCommands,
  machineCommands,
  type GivenWish,
} from '../../site/machine-commands.ts';
import { unknownNames } from '../../site/unknown-names.ts';
import { jsonLine } from '../base/answer-json.ts';
import { countOf } from '../../base/count.ts';
import { columnsOf } from '../base/columns.ts';
import { outcomeOf, type AnswerOptions } from '../base/outcome.ts';

type Options = ConfigOptions & AnswerOptions & { readonly group?: string };

export interface GiveOptions extends Options, SigningOptions {
  readonly for?: string;
  readonly reason: string;
  readonly expires?: string;
}

/** `modreg fleet hold [module] --machine rover-7` and the others: has a machine do something. */
export async function giveCommand(
  named: {
    readonly kind: CommandKind;
    readonly module: string | undefined;
    readonly version: string | undefined;
  },
  options: GiveOptions,
  world: World,
): Promise<Outcome> {
  const { for: term, reason, expires, group } = options;
  const wish = { ...named, for: term, reason, expires };
  const what = [named.kind, named.module, named.version]
    .flatMap((part) => (part === undefined ? [] : [excerpt(part)]))
    .join(' ');
  if (group !== undefined) return await toGroup(wish, what, { group, options }, world);
  return outcomeOf(await giveMachineCommand(wish, options, world), ({ signed, ...given }) => {
    if (options.json) {
      return { answer: [jsonLine({ schema: 'modreg/fleet-command@1', ...given })] };
    }
    const { machine, number, expires_at: until, asks } = given;
    const note =
      asks === false
        ? `${excerpt(machine)}: ${NOT_ASKING}`
        : `modreg fleet commands --machine ${excerpt(machine)} says what the machine answers`;
    return {
      answer: [`${excerpt(machine)}: command ${number} (${what}) waits until ${excerpt(until)}`],
      notes: [...signedNotes(excerpt(machine), signed), `note: ${note}`],
    };
  });
}

/** The same for the machines of a group. */
async function toGroup(
  wish: GivenWish,
  what: string,
  { group, options }: { readonly group: string; readonly options: GiveOptions },
  world: World,
): Promise<Outcome> {
  return outcomeOf(
    await giveGroupCommand(wish, { group, options }, world),
    ({ signed, ...given }) => ({
      answer: options.json
        ? [jsonLine({ schema: 'modreg/fleet-group-command@1', ...given })]
        : groupLines(given, what),
      notes: options.json ? [] : [...signedNotes('each machine', signed), groupNote(group)],
      ending: given.refused.length > 0 ? 'no' : undefined,
    }),
  );
}

function groupNote(group: string): string {
  return `note: modreg fleet commands --group ${excerpt(group)} says what they answer`;
}

/** For which site and machine a command was signed, which its text names. */
function signedNotes(machine: string, signed: SignedBy | undefined): readonly string[] {
  if (!signed) return [];
  return [`note: signed by ${keysIn(signed.keyIds)} for ${machine} of ${signed.site}`];
}

/** Which machines have the command, and which cannot be commanded, and why (D327). */
function groupLines(
  { group, expires_at: until, given, refused }: GivenToGroup,
  what: string,
): readonly string[] {
  const count = given.length + refused.length;
  return [
    `${excerpt(group)}: ${what} waits on ${given.length} of ${countOf(count, 'machine')} until ${excerpt(until)}`,
    ...given.map(({ machine, number }) => `  ${excerpt(machine)}: command ${number}`),
    ...refused.map(
      ({ machine, detail }) =>
        `  ${excerpt(machine)}: not given: ${excerpt(detail, LONGEST_DETAIL)}`,
    ),
  ];
}

const LONGEST_DETAIL = 300;

/** `modreg fleet commands --machine rover-7`, or `--group canary`: the commands to machines, with what became of them (D302). */
export async function fleetCommandsCommand(options: Options, world: World): Promise<Outcome> {
  const { group } = options;
  if (group !== undefined) {
    return outcomeOf(await groupCommands({ group, options }, world), (found) => ({
      answer: options.json
        ? [jsonLine({ schema: 'modreg/fleet-group-commands@1', ...found })]
        : linesOf(found.commands, world),
      notes: found.more ? ['note: only the newest 1000 commands are shown'] : [],
    }));
  }
  const listed = await machineCommands(options, world);
  const isEmpty = listed.ok && listed.value.commands.length === 0;
  const problems = await unknownNames(isEmpty ? { machine: options.machine } : {}, options, world);
  return outcomeOf(listed, (found) => ({
    answer: options.json
      ? [jsonLine({ schema: 'modreg/fleet-commands@1', ...found })]
      : linesOf(found.commands, world),
    problems,
  }));
}

/** A command to a machine, which a list of those to a group names. */
type Listed = CommandList['commands'][number] & { readonly machine?: string };

function linesOf(commands: readonly Listed[], { columns }: World): readonly string[] {
  if (commands.length === 0) return ['no command was given'];
  const of = commands.some(({ machine }) => machine !== undefined) ? ['MACHINE'] : [];
  const heads = [...of, 'NUMBER', 'COMMAND', 'GIVEN', 'BY', 'OUTCOME'];
  const rows = commands.map((one) => [
    ...of.map(() => excerpt(one.machine ?? '')),
    `${one.number}`,
    commandWords(one),
    excerpt(one.at),
    `${excerpt(one.by)}${signersOf(one)}: ${excerpt(one.reason)}`,
    outcomeOfCommand(one),
  ]);
  const format = columnsOf(heads, rows, columns);
  return [...format(heads), ...rows.flatMap(format)];
}

function commandWords({ kind, module, version, for: term }: Listed): string {
  const parts = [kind, module, version, term === null ? null : `for ${term}`];
  return parts.flatMap((one) => (typeof one === 'string' ? [excerpt(one)] : [])).join(' ');
}
