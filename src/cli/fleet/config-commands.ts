import { escapeUnprintable, excerpt } from '../../core/text/quote.ts';
import { failed, usage, type Outcome } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import type { SavedConfig, ShownConfig } from '../../registry/config-documents.ts';
import type { ConfigOptions } from '../../site/config-options.ts';
import {
  comparedConfigs,
  configHistoryOf,
  restoreConfig,
  baseNumber,
  revisionNumber,
  saveConfig,
  shownConfigOf,
} from '../../site/machine-configs.ts';
import { signConfig, type SignConfigOptions } from '../../site/sign-config.ts';
import { unknownNames } from '../../site/unknown-names.ts';
import { jsonLine } from '../base/answer-json.ts';
import { columnsOf } from '../base/columns.ts';
import { diffLines } from '../../core/text/diff-lines.ts';
import { outcomeOf, type AnswerOptions } from '../base/outcome.ts';

type Options = ConfigOptions & AnswerOptions;

export interface ShowOptions extends Options {
  readonly revision?: string;
  readonly own?: true;
}

/** `modreg fleet config show`: the documents that a registry serves to a machine, and what the machine says of them. */
export async function showConfigCommand(options: ShowOptions, world: World): Promise<Outcome> {
  const revision = revisionNumber(options.revision, '--revision');
  if (!revision.ok) return failed(revision.error);
  const found = await shownConfigOf(revision.value, options, world);
  return outcomeOf(found, (shown) => {
    if (options.json) {
      return { answer: [jsonLine({ schema: 'modreg/fleet-config@1', ...shown })] };
    }
    const documents = options.own && shown.own ? shown.own : shown;
    return { answer: [...headOf(shown), ...documentsOf(documents)] };
  });
}

function headOf(shown: ShownConfig): string[] {
  const { machine, revision, at, by, reason, signatures } = shown;
  const keys = Object.keys(signatures);
  const signed = keys.length === 0 ? '' : `, signed by ${keys.join(', ')}`;
  const saved = `saved ${excerpt(at)} by ${excerpt(by)}${signed}: ${excerpt(reason)}`;
  return [
    `${excerpt(machine)}, revision ${revision}, ${saved}`,
    ...fragmentLines(shown),
    ...machineLines(shown),
  ];
}

function fragmentLines({ own }: ShownConfig): string[] {
  if (!own) return [];
  const names = own.fragments.map((name) => excerpt(name)).join(', ');
  return [`  compiled from ${names} and what the machine has of its own (--own)`];
}

function machineLines({ machine_says: says }: ShownConfig): string[] {
  if (!says) return ['  the machine has not reported what it does with its documents'];
  const { applied, refused, at } = says;
  const runs = applied === null ? 'its own documents' : `revision ${applied}`;
  const first = `  the machine runs ${runs} (${excerpt(at)})`;
  if (!refused) return [first];
  const { revision, code, detail } = refused;
  return [first, `  it refuses revision ${revision}: ${code}: ${excerpt(detail, 1000)}`];
}

function documentsOf({ config, policy }: Pick<ShownConfig, 'config' | 'policy'>): string[] {
  return [
    'machine.json:',
    ...linesIn(config),
    ...(policy === null ? [] : ['policy.json:', ...linesIn(policy)]),
  ];
}

function linesIn(text: string): string[] {
  if (text === '') return [];
  return text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => escapeUnprintable(line));
}

export interface SetOptions extends Options {
  readonly policy?: string;
  readonly fragment?: readonly string[];
  readonly fragments?: false;
  readonly reason: string;
  readonly basedOn?: string;
  readonly dryRun?: boolean;
}

/** `modreg fleet config set <machine.json>`: saves the next revision of the documents of a machine. */
export async function setConfigCommand(
  config: string,
  options: SetOptions,
  world: World,
): Promise<Outcome> {
  const { policy, reason, fragment, dryRun: isDry = false } = options;
  const fragments = options.fragments === false ? [] : fragment;
  const basedOn = baseNumber(options.basedOn);
  if (!basedOn.ok) return failed(basedOn.error);
  const documents = { config, policy, reason, basedOn: basedOn.value, isDry, fragments };
  const saved = await saveConfig(documents, options, world);
  return outcomeOf(saved, (done) => savedWords(done, options));
}

function savedWords(
  { machine, revision, result, changes, signatures, warnings = [] }: SavedConfig,
  { json, dryRun = false }: AnswerOptions & Pick<SetOptions, 'dryRun'>,
): Partial<Outcome> {
  if (json) {
    const document = { schema: 'modreg/fleet-config-set@1', machine, revision, result };
    const more = { ...(changes && { changes }), ...(signatures !== undefined && { signatures }) };
    const warned = warnings.length === 0 ? {} : { warnings };
    return { answer: [jsonLine({ ...document, ...more, ...warned })] };
  }
  const answer = [
    `${excerpt(machine)}: revision ${revision} ${RESULTS[result]}`,
    ...(changes ?? []).map((line) => `  ${escapeUnprintable(line)}`),
    ...(signatures === undefined ? [] : [`  ${escapeUnprintable(signatures)}`]),
  ];
  const warned = warnings.map((one) => `warning: ${escapeUnprintable(one)}`);
  const next = `note: modreg fleet config show --machine ${excerpt(machine)} says what the machine does with it`;
  return { answer, notes: [...warned, dryRun ? DRY : next] };
}

const RESULTS: Readonly<Record<SavedConfig['result'], string>> = {
  saved: 'is saved',
  signed: 'is signed',
  unchanged: 'has these documents already',
  'would-save': 'would be saved',
};
const DRY = 'note: nothing was saved';

/** `modreg fleet config restore <revision>`: saves an earlier revision as the next one. */
export async function restoreConfigCommand(
  text: string,
  options: Options & Pick<SetOptions, 'reason' | 'dryRun'>,
  world: World,
): Promise<Outcome> {
  const revision = revisionNumber(text, '<revision>');
  if (!revision.ok) return failed(revision.error);
  const { reason, dryRun: isDry = false } = options;
  const saved = await restoreConfig(revision.value ?? 0, { reason, isDry }, options, world);
  return outcomeOf(saved, (done) => {
    const said = savedWords(done, options);
    const names = done.fragments.map((name) => excerpt(name)).join(', ');
    const loss = `note: the machine no longer uses ${names}: what was restored is saved as it was compiled`;
    return names === '' ? said : { ...said, notes: [...(said.notes ?? []), loss] };
  });
}

/** `modreg fleet config history`: what was saved for a machine. */
export async function configHistoryCommand(options: Options, world: World): Promise<Outcome> {
  const found = await configHistoryOf(options, world);
  const isEmpty = found.ok && found.value.revisions.length === 0;
  const problems = await unknownNames(isEmpty ? { machine: options.machine } : {}, options, world);
  return outcomeOf(found, ({ revisions }) => {
    if (options.json) {
      return {
        answer: [jsonLine({ schema: 'modreg/fleet-config-history@1', revisions })],
        problems,
      };
    }
    if (revisions.length === 0) return { answer: ['nothing was saved'], problems };
    const heads = ['REVISION', 'SAVED', 'SIGNATURES', 'BY', 'WHY'];
    const rows = revisions.map((one) => [
      `${one.revision}`,
      excerpt(one.at),
      `${one.signatures}`,
      excerpt(one.by),
      excerpt(one.reason),
    ]);
    const format = columnsOf(heads, rows, world.columns);
    return { answer: [...format(heads), ...rows.flatMap(format)] };
  });
}

export interface DiffOptions extends Options {
  readonly from?: string;
  readonly to?: string;
}

/** `modreg fleet config diff`: what changed between two revisions; by default in the newest. */
export async function configDiffCommand(options: DiffOptions, world: World): Promise<Outcome> {
  const [from, to] = [revisionNumber(options.from, '--from'), revisionNumber(options.to, '--to')];
  if (!from.ok) return failed(from.error);
  if (!to.ok) return failed(to.error);
  const named = { from: from.value, to: to.value };
  const found = await comparedConfigs(named, options, world);
  return outcomeOf(found, ({ from: before, to: after }) => {
    const names = { from: before?.revision ?? 0, to: after.revision };
    const lines = [
      ...changesOf('machine.json', before?.config ?? '', after.config, names),
      ...changesOf('policy.json', before?.policy ?? '', after.policy ?? '', names),
    ];
    if (options.json) {
      return { answer: [jsonLine({ schema: 'modreg/fleet-config-diff@1', ...names, lines })] };
    }
    return { answer: lines.length > 0 ? lines : ['the documents are the same'] };
  });
}

function changesOf(
  file: string,
  before: string,
  after: string,
  { from, to }: { readonly from: number; readonly to: number },
): string[] {
  if (before === after) return [];
  return [
    `--- ${file} of revision ${from}`,
    `+++ ${file} of revision ${to}`,
    ...diffLines(linesIn(before), linesIn(after)),
  ];
}

/** `modreg fleet config sign`: shows what signatures of operators are over; with a key, adds them. */
export async function signConfigCommand(
  options: SignConfigOptions & AnswerOptions,
  world: World,
): Promise<Outcome> {
  const { seen: expected, key = [] } = options;
  if (key.length > 0 && expected === undefined) {
    const hint = 'the same command without --key prints the documents and their digest';
    return failed(usage('--key needs --seen: it signs only what was read', hint));
  }
  const found = await signConfig(options, world);
  return outcomeOf(found, ({ shown, text, seen, keyIds }) => {
    const { machine, revision } = shown;
    if (options.json) {
      const json = { schema: 'modreg/fleet-config-sign@1', machine, revision, text, seen };
      return { answer: [jsonLine({ ...json, signed_by: keyIds })] };
    }
    if (keyIds.length > 0) {
      const by = `signed by ${keyIds.join(', ')}`;
      return { answer: [`${excerpt(machine)}: revision ${revision} is ${by}`] };
    }
    const note = `note: read the documents; the same command with --key <file> --seen ${seen} signs exactly this`;
    return { answer: [...headOf(shown), ...documentsOf(shown), ...linesIn(text)], notes: [note] };
  });
}
