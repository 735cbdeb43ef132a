import type { Result } from '../core/index.ts';
import { usage, type Problem } from '../base/problem.ts';
import type { World } from '../base/world.ts';
import { readDocumentFile, type DocumentFile } from '../host/document-file.ts';
import type { ConfigHistory, SavedConfig, ShownConfig } from '../registry/config-documents.ts';
import {
  baseMissing,
  configResult,
  withConfigs,
  type ConfigOptions,
  type Configured,
} from './config-options.ts';

type Found<T> = Promise<Result<T, Problem>>;

/** A revision of the documents of a machine, the newest by default. */
export async function shownConfigOf(
  revision: number | undefined,
  options: ConfigOptions,
  world: World,
): Found<ShownConfig> {
  return await withConfigs(options, world, async ({ machine, client }) =>
    configResult(await client.shown(machine, revision), machine),
  );
}

/** What was saved for a machine. */
export async function configHistoryOf(options: ConfigOptions, world: World): Found<ConfigHistory> {
  return await withConfigs(options, world, async ({ machine, client }) =>
    configResult(await client.history(machine), machine),
  );
}

/** What to save. */
export interface NewDocuments {
  /** The path of the machine config, and that of terms of a policy. */
  readonly config: string;
  readonly policy?: string | undefined;
  readonly reason: string;
  /** The revision that they are an edit of. Undefined if there is none, if they are the newest, or for a dry run on the newest. */
  readonly basedOn: number | undefined;
  /** Whether only to say what it would do. */
  readonly isDry: boolean;
  /** The fragments that they use; those of the newest revision if it is undefined. */
  readonly fragments: readonly string[] | undefined;
}

/** Saves documents as the next revision of a machine (D264, D265, D438). */
export async function saveConfig(
  { config, policy, reason, basedOn, isDry, fragments: named }: NewDocuments,
  options: ConfigOptions,
  world: World,
): Found<SavedConfig> {
  const [machineFile, policyFile] = [
    readDocumentFile(config),
    policy === undefined ? undefined : readDocumentFile(policy),
  ];
  if (!machineFile.ok) return machineFile;
  if (policyFile?.ok === false) return policyFile;
  const texts = {
    config: textOf(machineFile.value),
    policy: policyFile?.ok === true ? textOf(policyFile.value) : null,
  };
  return await withConfigs(options, world, async (configured) => {
    const { client, machine } = configured;
    const shown = await client.shown(machine);
    const newest = shown.ok ? shown.value : undefined;
    const { config: own, policy: terms } = newest?.own ?? newest ?? {};
    const isNewest = own === texts.config && terms === texts.policy && named === undefined;
    if (newest && basedOn === undefined && !isNewest && !isDry) {
      return baseMissing(machine, newest, `modreg fleet config show --machine ${machine}`);
    }
    const known = basedOn ?? newest?.revision ?? 0;
    const fragments = named ?? newest?.own?.fragments ?? [];
    // A registry of an earlier modreg knows no fragments.
    const used = fragments.length === 0 ? {} : { fragments };
    const body = { ...texts, ...used, based_on: known, reason };
    return await sent(configured, body, isDry);
  });
}

function textOf({ bytes }: DocumentFile): string {
  return Buffer.from(bytes).toString();
}

/** A registry of an earlier modreg refuses a dry run, which it does not know. */
async function sent(
  { client, machine }: Configured,
  body: object,
  isDry: boolean,
): Found<SavedConfig> {
  return configResult(
    await client.send(machine, '', isDry ? { ...body, dry_run: true } : body),
    machine,
  );
}

/** A revision, and the fragments that the documents before it used: what was restored is saved as it was, and uses none. */
export interface RestoredConfig extends SavedConfig {
  readonly fragments: readonly string[];
}

/** Saves an earlier revision as the next one (D264). */
export async function restoreConfig(
  revision: number,
  { reason, isDry }: { readonly reason: string; readonly isDry: boolean },
  options: ConfigOptions,
  world: World,
): Found<RestoredConfig> {
  return await withConfigs(options, world, async (configured): Found<RestoredConfig> => {
    const { client, machine } = configured;
    const earlier = configResult(await client.shown(machine, revision), machine);
    if (!earlier.ok) return earlier;
    const { config, policy } = earlier.value;
    const newest = await client.shown(machine);
    const based_on = newest.ok ? newest.value.revision : 0;
    const saved = await sent(configured, { config, policy, based_on, reason }, isDry);
    const fragments = (newest.ok ? newest.value.own?.fragments : undefined) ?? [];
    return saved.ok ? { ok: true, value: { ...saved.value, fragments } } : saved;
  });
}

/** Two revisions of a machine. */
export interface ComparedConfigs {
  /** Undefined for nothing before the first. */
  readonly from: ShownConfig | undefined;
  readonly to: ShownConfig;
}

/** Two revisions to compare: by default the newest and the one before it. */
export async function comparedConfigs(
  { from, to }: { readonly from: number | undefined; readonly to: number | undefined },
  options: ConfigOptions,
  world: World,
): Found<ComparedConfigs> {
  return await withConfigs(options, world, async ({ machine, client }): Found<ComparedConfigs> => {
    const later = configResult(await client.shown(machine, to), machine);
    if (!later.ok) return later;
    const history = configResult(await client.history(machine), machine);
    if (!history.ok) return history;
    const { revision } = later.value;
    const before = history.value.revisions.find((one) => one.revision < revision)?.revision;
    const named = from ?? before;
    if (named === undefined) return { ok: true, value: { from: undefined, to: later.value } };
    const earlier = configResult(await client.shown(machine, named), machine);
    return earlier.ok ? { ok: true, value: { from: earlier.value, to: later.value } } : earlier;
  });
}

/** The number of the revision that an edit is based on, 0 if there is none; undefined without the option. */
export function baseNumber(text: string | undefined): Result<number | undefined, Problem> {
  return text === '0' ? { ok: true, value: 0 } : revisionNumber(text, '--based-on');
}

/** The number in the text of an option or an argument; undefined without it. */
export function revisionNumber(
  text: string | undefined,
  what: string,
): Result<number | undefined, Problem> {
  if (text === undefined) return { ok: true, value: undefined };
  if (/^[1-9]\d{0,8}$/.test(text)) return { ok: true, value: Number(text) };
  return {
    ok: false,
    error: usage(`${what} is not the number of a revision, expected one such as 3`),
  };
}
