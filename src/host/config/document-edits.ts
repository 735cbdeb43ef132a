import { statSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import {
  edited,
  editableIn,
  type DocumentEdit,
  type DocumentTexts,
  type Editable,
} from '../../config/document-edit.ts';
import { maskSecrets } from '../../config/masked-secrets.ts';
import { readMachine, readUpdatePolicy } from '../../config/read-document.ts';
import type { Result } from '../../core/index.ts';
import { unwritableWords } from '../../core/text/file-words.ts';
import { excerpt } from '../../core/text/quote.ts';
import { documentDiff } from '../../core/trust/document-diff.ts';
import { usage, type Problem } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import { replaceFile as replaceWhole } from '../../files/replace-file.ts';
import { existsAt, type DocumentFile } from '../document-file.ts';
import { documentWithErrors } from '../document-findings.ts';
import { MACHINE_CONFIG, planDocumentsOf } from '../plan-documents.ts';
import { planFromSaved, type SavedPlanTerms } from '../plan/machine-plan.ts';
import { POLICY, readPolicyFor } from '../policy-file.ts';
import { replaceFile } from '../replace-file.ts';
import { changesBetween, shownConfig, type DecisionChange } from './checked-config.ts';
import { readConfig } from './config-file.ts';

/** What can be edited in the documents of this machine. */
export interface EditableMachine extends Editable {
  /** Of both documents. */
  readonly etag: string;
}

/** What an edit would change. Secrets are not shown (T140). */
export interface MachineEdit {
  readonly etag: string;
  readonly lines: readonly string[];
  /** The decisions that would be others; undefined if the machine cannot be planned. */
  readonly changes: readonly DecisionChange[] | undefined;
}

/** Both documents as they are now. */
interface Read {
  readonly machine: DocumentFile;
  readonly policy: DocumentFile | undefined;
  readonly texts: DocumentTexts;
  readonly etag: string;
}

/** What can be edited at `path`, and in the policy of that machine config (D416). */
export function editableMachine(
  path: string,
  options: SavedPlanTerms,
): Result<EditableMachine, Problem[]> {
  const read = documentsAt(path, options);
  if (!read.ok) return read;
  const { texts, etag } = read.value;
  return { ok: true, value: { ...editableIn(texts), etag } };
}

/** What an edit would change. */
export async function previewedEdit(
  edit: DocumentEdit,
  path: string,
  options: SavedPlanTerms,
  world: World,
): Promise<Result<MachineEdit, Problem[]>> {
  const read = documentsAt(path, options);
  if (!read.ok) return read;
  const next = nextTexts(edit, read.value);
  if (!next.ok) return next;
  const { texts, etag, machine, policy } = read.value;
  const lines = documentDiff(masked(texts), masked(next.value));
  const [now, then] = await Promise.all(
    [texts, next.value].map(async ({ config, policy: terms }) => {
      const sources = {
        machine: { ...machine, bytes: Buffer.from(config) },
        policy:
          terms === undefined
            ? undefined
            : { ...(policy ?? machine), path: policyPath(path, policy), bytes: Buffer.from(terms) },
      };
      return await planFromSaved(path, options, world, planDocumentsOf(sources, undefined));
    }),
  );
  const changes = now?.ok && then?.ok ? changesBetween(now.value.plan, then.value.plan) : undefined;
  return { ok: true, value: { etag, lines, changes } };
}

/** How an attempt to save an edit ended. Unless it was saved, both files are as they were. */
export type EditOutcome = 'saved' | 'changed-meanwhile';

/** Saves an edit, if the person saw the documents with this `etag`. */
export function savedEdit(
  edit: DocumentEdit,
  etag: string,
  path: string,
  options: SavedPlanTerms,
): Result<EditOutcome, Problem[]> {
  const read = documentsAt(path, options);
  if (!read.ok) return read;
  if (read.value.etag !== etag) return { ok: true, value: 'changed-meanwhile' };
  const next = nextTexts(edit, read.value);
  if (!next.ok) return next;
  const { machine, policy, texts } = read.value;
  const { config, policy: terms } = next.value;
  if (config !== texts.config) return written(machine, config);
  if (terms === undefined || terms === texts.policy) return { ok: true, value: 'saved' };
  return policy ? written(policy, terms) : created(policyPath(path, policy), terms, machine);
}

function written({ path, bytes }: DocumentFile, to: string): Result<EditOutcome, Problem[]> {
  const replaced = replaceFile(path, { from: bytes, to });
  return replaced.ok ? { ok: true, value: 'saved' } : { ok: false, error: [replaced.error] };
}

/** A policy that was not there, which those can read who can read the machine config. */
function created(
  path: string,
  text: string,
  { path: config, mode = PRIVATE }: DocumentFile,
): Result<EditOutcome, Problem[]> {
  if (existsAt(path)) return { ok: true, value: 'changed-meanwhile' };
  try {
    const { uid, gid } = statSync(config);
    replaceWhole(path, text, { mode: mode & READABLE, owner: { uid, gid } });
    return { ok: true, value: 'saved' };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    const message = `${excerpt(path)} ${unwritableWords(code)}; nothing was changed`;
    return { ok: false, error: [{ severity: 'error', kind: 'state-write', message }] };
  }
}

const PRIVATE = 0o600;
const READABLE = 0o666;

function policyPath(path: string, policy: DocumentFile | undefined): string {
  return policy?.path ?? join(dirname(path), POLICY);
}

function documentsAt(path: string, options: SavedPlanTerms): Result<Read, Problem[]> {
  // A text that is not JSON is not shown: which of its parts are secrets is not known.
  const shown = shownConfig(path);
  if (!shown.ok) return shown;
  const config = readConfig(path);
  if (!config.ok) return config;
  const policy = readPolicyFor(path, options.policy);
  if (!policy.ok) return { ok: false, error: [policy.error] };
  const found = policy.value;
  if (found && !found.reading.ok) {
    const problem = documentWithErrors('the policy', found.path, found.reading, 'policy');
    return { ok: false, error: [problem] };
  }
  const terms = found && Buffer.from(found.file.bytes).toString();
  const texts = { config: config.value.text, policy: terms };
  const hash = createHash('sha256')
    .update(config.value.etag)
    .update(terms ?? '');
  const etag = hash.digest('base64url');
  return { ok: true, value: { machine: config.value.file, policy: found?.file, texts, etag } };
}

/** The documents after an edit, which have no errors. */
function nextTexts(
  edit: DocumentEdit,
  { texts, machine, policy: file }: Read,
): Result<DocumentTexts, Problem[]> {
  const next = edited(texts, edit);
  if (!next.ok) return { ok: false, error: [usage(`${next.error}; nothing was changed`)] };
  const { config, policy } = next.value;
  const terms = policy === undefined ? undefined : readUpdatePolicy(policy);
  if (terms?.ok === false) {
    const path = policyPath(machine.path, file);
    return { ok: false, error: [documentWithErrors('after this, the policy', path, terms)] };
  }
  const read = readMachine(config, { policy: terms?.value ?? 'unreadable', mode: machine.mode });
  if (read.ok) return next;
  const problem = documentWithErrors(`after this, ${MACHINE_CONFIG}`, machine.path, read);
  return { ok: false, error: [problem] };
}

function masked({ config, policy }: DocumentTexts): DocumentTexts {
  return {
    config: maskSecrets(config),
    policy: policy === undefined ? undefined : maskSecrets(policy),
  };
}
