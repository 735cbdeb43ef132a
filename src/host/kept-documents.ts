import { dirname, join, resolve } from 'node:path';
import { platformHome } from '../config/platform-home.ts';
import type { Result } from '../core/index.ts';
import { unwritableWords } from '../core/text/file-words.ts';
import { excerpt } from '../core/text/quote.ts';
import { replaceFile } from '../files/replace-file.ts';
import { isJsonObject } from '../registry/formats/json-object.ts';
import type { Problem } from '../base/problem.ts';
import type { World } from '../base/world.ts';
import { readRegularFile, type DocumentFile } from './document-file.ts';
import {
  documentReader,
  planDocumentsOf,
  type DocumentSources,
  type PlanDocuments,
} from './plan-documents.ts';
import { KEPT_DOCUMENTS } from './machine-path.ts';
import { holdingReader } from './holding-reader.ts';
import { POLICY } from './policy-file.ts';

/** The documents with which an agent or a poller starts. */
export interface StartDocuments {
  readonly documents: PlanDocuments;
  /** Reads them again. Where the kept ones are used, it returns those once: a poller has none before its first reading. */
  readonly read: () => Result<PlanDocuments, Problem[]>;
  /** Why the kept ones are used; empty if the files have no errors. */
  readonly problems: readonly Problem[];
}

type Terms = Parameters<typeof documentReader>[1];

/**
 * The last documents of this machine that had no errors are in its home, beside machine.db, for this user only: they may contain
 * secrets. Documents are large: two of them, as texts in JSON.
 */
const SCHEMA = 'modreg/kept-documents@1';
const PRIVATE = 0o600;
const LARGEST = 64 * 1024 * 1024;

/**
 * Reads the documents of a machine for a start. If they cannot be used, as after a loss of power during an edit, those that an agent or a
 * poller used last are (T353); without such, the error is that of the files.
 */
export function documentsForStart(
  path: string,
  options: Terms,
  world: World,
): Result<StartDocuments, Problem[]> {
  const lenient = { ...options, unknownFields: 'warn' } as const;
  const read = documentReader(path, lenient);
  const documents = read();
  const isWhole = documents.ok && documents.value.unknown.length === 0;
  const hasPolicy = documents.ok && documents.value.policyPath !== undefined;
  const kept = isWhole && hasPolicy ? undefined : keptDocuments(path, options, world);
  if (!kept) {
    const earlier = isWhole ? documents.value : undefined;
    return startWith(documents, holdingReader(read, earlier));
  }
  const { policyPath: policy } = kept;
  const named = documentReader(path, { ...lenient, ...(policy !== undefined && { policy }) });
  const later = holdingReader(named, kept);
  // A policy that was used and is missing is not "no policy".
  const files = documents.ok ? later() : documents;
  if (files.ok) return startWith(files, later);
  return {
    ok: true,
    value: { documents: kept, read: firstly(kept, later), problems: files.error },
  };
}

function startWith(
  documents: Result<PlanDocuments, Problem[]>,
  read: StartDocuments['read'],
): Result<StartDocuments, Problem[]> {
  if (!documents.ok) return documents;
  return { ok: true, value: { documents: documents.value, read, problems: [] } };
}

function firstly(
  first: PlanDocuments,
  later: StartDocuments['read'],
): () => Result<PlanDocuments, Problem[]> {
  let isFirst = true;
  return () => {
    const value = isFirst ? first : undefined;
    isFirst = false;
    return value ? { ok: true, value } : later();
  };
}

/** Returns how to keep documents that have no errors in the folder `home`: a warning for each reason why that is not possible, once. */
export function documentKeeper(home: string): (documents: PlanDocuments) => Problem | undefined {
  const path = join(home, KEPT_DOCUMENTS);
  const found = readRegularFile(path, LARGEST);
  let kept = found.ok ? Buffer.from(found.value.bytes).toString() : undefined;
  let said: string | undefined;
  return ({ sources, unknown }) => {
    // The last ones without errors stay there.
    if (unknown.length > 0) return undefined;
    // What is not a file cannot be read again at the next start.
    if (sources.machine.mode === undefined) return undefined;
    const text = textOf(sources);
    if (text === kept) return undefined;
    try {
      replaceFile(path, text, { mode: PRIVATE });
      kept = text;
      said = undefined;
      return undefined;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === undefined) throw error;
      if (said === code) return undefined;
      said = code;
      const message = `the documents are not kept for the next start: ${excerpt(path)} ${unwritableWords(code)}`;
      return { severity: 'warning', kind: 'state-write', message };
    }
  };
}

function textOf({ machine, policy }: DocumentSources): string {
  const content = { machine: textsOf(machine), policy: policy ? textsOf(policy) : null };
  return JSON.stringify({ schema: SCHEMA, ...content });
}

function textsOf({ path, bytes }: DocumentFile): object {
  return { path: resolve(path), text: Buffer.from(bytes).toString() };
}

/** The documents that were kept for these paths, if this modreg can use them. */
function keptDocuments(
  path: string,
  { policy, deployed }: Terms,
  { environment }: World,
): PlanDocuments | undefined {
  const home = platformHome(environment);
  const file =
    home === undefined ? undefined : readRegularFile(join(home, KEPT_DOCUMENTS), LARGEST);
  const sources = file?.ok ? sourcesIn(file.value) : undefined;
  const named = policy ?? join(dirname(path), POLICY);
  if (sources?.machine.path !== resolve(path)) return undefined;
  if (sources.policy && sources.policy.path !== resolve(named)) return undefined;
  const read = planDocumentsOf(sources, deployed);
  return read.ok ? read.value : undefined;
}

/** Undefined if the file is not one that `textOf` wrote. */
function sourcesIn({ bytes }: DocumentFile): DocumentSources | undefined {
  let json: unknown;
  try {
    json = JSON.parse(Buffer.from(bytes).toString());
  } catch {
    return undefined;
  }
  if (!isJsonObject(json) || json['schema'] !== SCHEMA) return undefined;
  const machine = fileIn(json['machine']);
  return machine && { machine, policy: fileIn(json['policy']) };
}

function fileIn(json: unknown): DocumentFile | undefined {
  if (!isJsonObject(json)) return undefined;
  const { path, text } = json;
  if (typeof path !== 'string' || typeof text !== 'string') return undefined;
  return { path, bytes: Buffer.from(text), mode: undefined };
}
