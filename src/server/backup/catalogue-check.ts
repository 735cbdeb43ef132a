import type { DatabaseSync } from 'node:sqlite';
import { parseModuleId, parseVersion, type ModuleId } from '../../core/index.ts';
import { quote } from '../../core/text/quote.ts';
import { dropInto } from '../../registry/formats/decoded-list.ts';
import { parseJsonBytes } from '../../registry/formats/json-text.ts';
import { moduleEntries } from '../../registry/formats/module-document.ts';
import { isJsonObject } from '../../registry/formats/json-object.ts';
import { RegistryError } from '../../registry/registry-error.ts';
import { DatabaseError } from '../../sqlite/database-error.ts';
import { integrityLines } from '../../sqlite/integrity-lines.ts';
import { statementsOf, type Row, type Statements } from '../../sqlite/statements.ts';
import { unlessDamaged } from '../../sqlite/stored-value.ts';
import { listedArtifacts } from '../catalogue/listed-artifacts.ts';
import { makeDocument } from '../catalogue/module-document.ts';
import { readRelease } from '../catalogue/published-release.ts';
import { storedReleases } from '../catalogue/release-table.ts';
import { commandFindings } from './command-findings.ts';
import { notesFindings } from './notes-findings.ts';
import { signatureFindings, trustChain, type TrustChain } from './trust-findings.ts';
import { tokensIn } from '../tokens/token-table.ts';

/** One thing that is wrong, as an escaped line: where, what was found, what was expected. */
export type Finding = string;

/** What a catalogue contains, in numbers. */
export interface Contents {
  readonly history: string;
  readonly sequence: number;
  readonly modules: number;
  readonly releases: number;
  readonly tokens: number;
  /** The hosted files that releases list, with their sizes, by their sha256. */
  readonly files: ReadonlyMap<string, number>;
}

/** Lists have an address, from which those of hosted files are derived. */
const ADDRESS = 'https://registry.example/v1/modules/';

export function contentsOf(sql: Statements): Contents {
  const catalogue = sql.get('SELECT sequence, history FROM catalogue');
  const count = (table: string): number =>
    Number(sql.get(`SELECT count(*) AS count FROM ${table}`)?.['count']);
  return {
    history: String(catalogue?.['history']),
    sequence: Number(catalogue?.['sequence']),
    modules: count('modules'),
    releases: count('releases'),
    tokens: count('tokens'),
    files: listedArtifacts(sql)(),
  };
}

/**
 * Checks a catalogue: the structure of the file, references between its rows, its numbers, and that each document decodes
 * as clients decode it, with right signatures (D170, D408). Hosted files are not read.
 */
export function* catalogueFindings(database: DatabaseSync, path: string): Generator<Finding> {
  const sql = statementsOf(database, path);
  try {
    const damage = integrityFindings(sql);
    yield* damage;
    // Tables of a damaged file may not end.
    if (damage.length > 0) return;
    yield* numberFindings(sql);
    yield* eventFindings(sql);
    const trust = trustChain(sql);
    if (trust.finding !== undefined) yield trust.finding;
    for (const row of sql.all('SELECT * FROM modules ORDER BY namespace, name')) {
      yield* moduleFindings(sql, row, trust);
    }
    yield* notesFindings(sql);
    yield* commandFindings(sql, trust);
    tokensIn(sql);
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    yield error.message;
  }
}

function integrityFindings(sql: Statements): Finding[] {
  const lines = sql
    .all('PRAGMA integrity_check(20)')
    .map((row) => String(row['integrity_check']))
    .filter((line) => line !== 'ok');
  const references = sql.all('PRAGMA foreign_key_check').map(({ table, rowid, parent }) => {
    return `row ${String(rowid)} of ${String(table)} refers to a row of ${String(parent)} that does not exist`;
  });
  return [...lines.flatMap(integrityLines), ...references].map((line) => {
    return `${quote(sql.path)}: ${line}`;
  });
}

function numberFindings(sql: Statements): Finding[] {
  const rows = sql.all('SELECT sequence FROM catalogue');
  if (rows.length !== 1) return [`${quote(sql.path)}: ${rows.length} sequences, expected one`];
  const sequence = Number(rows[0]?.['sequence']);
  const last = Number(sql.get('SELECT coalesce(max(sequence), 0) AS last FROM modules')?.['last']);
  if (last === sequence) return [];
  return [`the sequence is ${sequence}, and the last change of a module has ${last}`];
}

/** The list of a module has only the rollouts whose events name this module. */
function eventFindings(sql: Statements): Finding[] {
  const rows = sql.all(
    `SELECT events.sequence AS sequence, events.module AS named, releases.module AS module
     FROM rollout_events AS events JOIN releases ON releases.id = events.release
     WHERE events.module <> releases.module ORDER BY events.sequence`,
  );
  return rows.map(({ sequence, named, module }) => {
    return `${quote(sql.path)}: row ${String(sequence)} of rollout_events: it names module ${String(named)}, and its release is one of module ${String(module)}`;
  });
}

function* moduleFindings(sql: Statements, row: Row, trust: TrustChain): Generator<Finding> {
  const text = `${String(row['namespace'])}:${String(row['name'])}`;
  const moduleId = parseModuleId(text);
  if (!moduleId.ok) {
    yield `${quote(text)}: ${moduleId.error.message}`;
    return;
  }
  const generation = Number(row['generation']);
  const name = moduleId.value;
  const stored = unlessDamaged(() => storedReleases(sql, { id: Number(row['id']), generation }));
  if (!stored.ok) {
    yield stored.error.message;
    return;
  }
  const releases = stored.value;
  if (generation < releases.length) {
    yield `${name}: generation ${generation} with ${releases.length} releases, expected at least one for each`;
  }
  try {
    yield* documentFindings(name, makeDocument(name, generation, releases).bytes, trust);
  } catch (error) {
    if (!(error instanceof RegistryError || error instanceof RangeError)) throw error;
    yield `${name}: ${error.message}`;
  }
}

function* documentFindings(
  moduleId: ModuleId,
  bytes: Uint8Array,
  trust: TrustChain,
): Generator<Finding> {
  const document = parseJsonBytes(bytes);
  if (!isJsonObject(document)) return;
  const address = new URL(moduleId.replace(':', '/'), ADDRESS);
  const entries = moduleEntries(document, moduleId, address);
  const dropped: string[] = [];
  for (let index = 0; index < entries.length; index++) {
    const { version } = entries.decode(index, dropInto(dropped));
    if (!parseVersion(version).ok) dropped.push(`/releases/${index}/version is ${quote(version)}`);
    // A listed rollout is the state of one, and not what a publication begins.
    const { rollout: _listed, ...release } = Object((document['releases'] as unknown[])[index]);
    const written = readRelease(release);
    // What publishing accepts is stricter than what clients accept.
    if (!written.ok) dropped.push(...written.error.map((line) => `/releases/${index}${line}`));
    else dropped.push(...signatureFindings(trust, moduleId, written.value));
  }
  for (const line of dropped) yield `${moduleId}: ${line}`;
}
