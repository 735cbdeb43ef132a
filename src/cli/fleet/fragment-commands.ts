import { escapeUnprintable, excerpt } from '../../core/text/quote.ts';
import { countOf } from '../../base/count.ts';
import { failed, type Outcome } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import type { SavedFragment } from '../../registry/fragment-documents.ts';
import type { FleetOptions } from '../../site/fleet-options.ts';
import { fragmentsOf, saveFragmentFile, shownFragmentOf } from '../../site/fragments.ts';
import { baseNumber } from '../../site/machine-configs.ts';
import { jsonLine } from '../base/answer-json.ts';
import { columnsOf } from '../base/columns.ts';
import { outcomeOf, type AnswerOptions } from '../base/outcome.ts';

export type FragmentOptions = FleetOptions & AnswerOptions;

export type SetFragmentOptions = FragmentOptions & {
  readonly reason: string;
  readonly basedOn?: string;
  readonly dryRun?: boolean;
};

/** `modreg fleet config fragment set <name> <file>`: saves a fragment, and says on which machines it has an effect (D330). */
export async function setFragmentCommand(
  [name, file]: readonly [name: string, file: string],
  { reason, dryRun = false, ...options }: SetFragmentOptions,
  world: World,
): Promise<Outcome> {
  const basedOn = baseNumber(options.basedOn);
  if (!basedOn.ok) return failed(basedOn.error);
  const next = { name, file, reason, basedOn: basedOn.value, isDry: dryRun };
  return outcomeOf(await saveFragmentFile(next, options, world), (saved) => ({
    answer: options.json
      ? [jsonLine({ schema: 'modreg/fleet-fragment-set@1', ...saved })]
      : [firstLine(saved), ...saved.machines.flatMap(machineLines), ...restLine(saved)],
    notes: saved.result === 'would-save' ? ['note: nothing was saved'] : [],
  }));
}

const RESULTS: Readonly<Record<SavedFragment['result'], string>> = {
  saved: 'is saved',
  unchanged: 'has this content already',
  'would-save': 'would be saved',
};

function firstLine({ name, revision, result, machines }: SavedFragment): string {
  const count = countOf(machines.length, 'machine');
  return `${excerpt(name)}: revision ${revision} ${RESULTS[result]}, with an effect on ${count}`;
}

function machineLines({ machine, from, to, changes }: SavedFragment['machines'][number]): string[] {
  const number = to === null ? `revision ${from}` : `revision ${from} → ${to}`;
  return [
    `  ${excerpt(machine)}, ${number}:`,
    ...changes.map((line) => `    ${escapeUnprintable(line)}`),
  ];
}

function restLine({ unaffected }: SavedFragment): string[] {
  if (unaffected === 0) return [];
  return [`  the documents of ${countOf(unaffected, 'other machine')} stay as they are`];
}

/** `modreg fleet config fragment show <name>`: its content, and the machines whose documents use it. */
export async function showFragmentCommand(
  name: string,
  options: FragmentOptions,
  world: World,
): Promise<Outcome> {
  return outcomeOf(await shownFragmentOf(name, options, world), (shown) => {
    if (options.json) {
      return { answer: [jsonLine({ schema: 'modreg/fleet-fragment@1', ...shown })] };
    }
    const { revision, at, by, reason, content, machines } = shown;
    const saved = `saved ${excerpt(at)} by ${excerpt(by)}: ${excerpt(reason)}`;
    const used =
      machines.length === 0
        ? 'no machine uses it'
        : `used by ${machines.map((one) => excerpt(one)).join(', ')}`;
    const lines = content.replace(/\n$/, '').split('\n');
    return {
      answer: [
        `${excerpt(name)}, revision ${revision}, ${saved}`,
        `  ${used}`,
        ...lines.map((line) => escapeUnprintable(line)),
      ],
    };
  });
}

/** `modreg fleet config fragment list`: all of them. */
export async function fragmentsCommand(options: FragmentOptions, world: World): Promise<Outcome> {
  return outcomeOf(await fragmentsOf(options, world), ({ fragments }) => {
    if (options.json) {
      return { answer: [jsonLine({ schema: 'modreg/fleet-fragments@1', fragments })] };
    }
    if (fragments.length === 0) return { answer: ['there is no fragment'] };
    const heads = ['FRAGMENT', 'REVISION', 'MACHINES', 'SAVED', 'BY', 'WHY'];
    const rows = fragments.map((one) => [
      excerpt(one.name),
      `${one.revision}`,
      `${one.machines}`,
      excerpt(one.at),
      excerpt(one.by),
      excerpt(one.reason),
    ]);
    const format = columnsOf(heads, rows, world.columns);
    return { answer: [...format(heads), ...rows.flatMap(format)] };
  });
}
