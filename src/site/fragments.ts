import { isGroup } from '../core/rollout/group.ts';
import type { Result } from '../core/index.ts';
import { quote } from '../core/text/quote.ts';
import { usage, type Problem } from '../base/problem.ts';
import type { World } from '../base/world.ts';
import { readDocumentFile } from '../host/document-file.ts';
import type { ConfigRefusal } from '../registry/config-client.ts';
import { fragmentClient } from '../registry/fragment-client.ts';
import type { FragmentList, SavedFragment, ShownFragment } from '../registry/fragment-documents.ts';
import { baseMissing, configResult, withServing } from './config-options.ts';
import type { FleetOptions } from './fleet-options.ts';

const SERVING = { open: fragmentClient, what: 'keeps fragments' };

type Found<T> = Promise<Result<T, Problem>>;

/** What documents of machines share. */
export async function fragmentsOf(options: FleetOptions, world: World): Found<FragmentList> {
  return await withServing(options, world, SERVING, async (client) =>
    fragmentResult(await client.list(), ''),
  );
}

/** The newest revision of a fragment, and who uses it. */
export async function shownFragmentOf(
  name: string,
  options: FleetOptions,
  world: World,
): Found<ShownFragment> {
  const wrong = wrongName(name);
  if (wrong) return { ok: false, error: wrong };
  return await withServing(options, world, SERVING, async (client) =>
    fragmentResult(await client.shown(name), name),
  );
}

/** What to save of a fragment. */
export interface NewFragmentFile {
  readonly name: string;
  /** The path of its content. */
  readonly file: string;
  readonly reason: string;
  /** The revision that it is an edit of. Undefined if there is none, or for a dry run on the newest. */
  readonly basedOn: number | undefined;
  /** Whether only to say what it would do. */
  readonly isDry: boolean;
}

/** Saves the next revision of a fragment, and the documents of the machines that it changes (D330). */
export async function saveFragmentFile(
  { name, file, reason, basedOn, isDry }: NewFragmentFile,
  options: FleetOptions,
  world: World,
): Found<SavedFragment> {
  const wrong = wrongName(name);
  if (wrong) return { ok: false, error: wrong };
  const read = readDocumentFile(file);
  if (!read.ok) return read;
  const content = Buffer.from(read.value.bytes).toString();
  return await withServing(options, world, SERVING, async (client) => {
    const newest = basedOn === undefined ? await client.shown(name) : undefined;
    if (newest?.ok && !isDry && newest.value.content !== content) {
      return baseMissing(
        `fragment ${name}`,
        newest.value,
        `modreg fleet config fragment show ${name}`,
      );
    }
    const known = basedOn ?? (newest?.ok ? newest.value.revision : 0);
    const body = { based_on: known, content, reason, dry_run: isDry };
    return fragmentResult(await client.send(name, body), name);
  });
}

/** What the registry did, or why it did not, with a hint about fragments. */
function fragmentResult<T>(result: Result<T, ConfigRefusal>, name: string): Result<T, Problem> {
  const found = configResult(result);
  if (found.ok) return found;
  const { kind } = found.error;
  const command = 'modreg fleet config fragment';
  if (kind === 'unknown-config') {
    return { ok: false, error: { ...found.error, hint: `${command} list shows them all` } };
  }
  if (kind !== 'stale-config') return found;
  return { ok: false, error: { ...found.error, hint: `${command} show ${name} shows the newest` } };
}

function wrongName(name: string): Problem | undefined {
  if (isGroup(name)) return undefined;
  return usage(
    `${quote(name)} is not the name of a fragment, which is up to 63 letters, digits, ".", "_" and "-", beginning with a letter or a digit`,
  );
}
