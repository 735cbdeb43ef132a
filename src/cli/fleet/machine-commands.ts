import { excerpt } from '../../core/text/quote.ts';
import type { Outcome } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import type { CommandKind, CommandList } from '../../registry/command-documents.ts';
import type { ConfigOptions } from '../../site/config-options.ts';
import { outcomeOfCommand } from '../../site/command-words.ts';
import { giveMachineCommand, machineCommands } from '../../site/machine-commands.ts';
import { jsonLine } from '../base/answer-json.ts';
import { columnsOf } from '../base/columns.ts';
import { outcomeOf, type AnswerOptions } from '../base/outcome.ts';

type Options = ConfigOptions & AnswerOptions;

export interface GiveOptions extends Options {
  readonly for?: string;
  readonly reason: string;
  readonly expires?: string;
}

/** `modreg fleet hold [module] --machine rover-7` and the others: has a machine do something. */
export async function giveCommand(
  { kind, module }: { readonly kind: CommandKind; readonly module: string | undefined },
  options: GiveOptions,
  world: World,
): Promise<Outcome> {
  const { for: term, reason, expires } = options;
  const wish = { kind, module, for: term, reason, expires };
  return outcomeOf(await giveMachineCommand(wish, options, world), (given) => {
    if (options.json) {
      return { answer: [jsonLine({ schema: 'modreg/fleet-command@1', ...given })] };
    }
    const { machine, number, expires_at: until } = given;
    const what = module === undefined ? kind : `${kind} ${excerpt(module)}`;
    return {
      answer: [`${excerpt(machine)}: command ${number} (${what}) waits until ${excerpt(until)}`],
      notes: ['note: modreg fleet commands says what the machine answers'],
    };
  });
}

/** `modreg fleet commands --machine rover-7`: the commands to a machine, with what became of them (D302). */
export async function fleetCommandsCommand(options: Options, world: World): Promise<Outcome> {
  return outcomeOf(await machineCommands(options, world), (found) => ({
    answer: options.json
      ? [jsonLine({ schema: 'modreg/fleet-commands@1', ...found })]
      : linesOf(found, world),
  }));
}

function linesOf({ commands }: CommandList, { columns }: World): readonly string[] {
  if (commands.length === 0) return ['no command was given'];
  const heads = ['NUMBER', 'COMMAND', 'GIVEN', 'BY', 'OUTCOME'];
  const rows = commands.map((one) => [
    `${one.number}`,
    [one.kind, excerpt(one.module ?? ''), one.for === null ? '' : `for ${excerpt(one.for)}`]
      .filter((part) => part !== '')
      .join(' '),
    excerpt(one.at),
    `${excerpt(one.by)}: ${excerpt(one.reason)}`,
    outcomeOfCommand(one),
  ]);
  const format = columnsOf(heads, rows, columns);
  return [...format(heads), ...rows.flatMap(format)];
}
