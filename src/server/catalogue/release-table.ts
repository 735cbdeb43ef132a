import { expectArgument, numberIn, type Expected } from '../../core/text/argument.ts';
import { excerpt } from '../../core/text/quote.ts';
import { isWritable } from '../../core/text/rfc3339.ts';
import type { ModuleId } from '../../core/index.ts';
import { listedRollout } from '../../core/rollout/rollout.ts';
import type { DatabaseError } from '../../sqlite/database-error.ts';
import type { Row, Statements } from '../../sqlite/statements.ts';
import { damagedValue } from '../../sqlite/stored-value.ts';
import type { PublishResult } from './catalogue-results.ts';
import type { StoredRelease } from './module-document.ts';
import { keepArtifact } from '../artifacts/artifact-store.ts';
import {
  RELEASE_COLUMNS,
  addModule,
  moduleIn,
  releaseIn,
  releaseRow,
  touch,
  type ModuleRow,
  type ReleaseRow,
} from './module-row.ts';
import { hostedArtifacts, PUBLISHED_RELEASE, type PublishedRelease } from './published-release.ts';
import {
  contentOf,
  deprecationIn,
  isSameRelease,
  moreSignatures,
  setSignatures,
  setYankSignatures,
  type Signatures,
} from './release-content.ts';
import { expectReadable } from './readable-change.ts';
import type { RolloutStart } from './rollout-start.ts';
import { signatureFault } from './signature-fault.ts';
import {
  appendEvent,
  haltRunning,
  rolloutIn,
  rolloutsIn,
  type StoredRollout,
} from './rollout-table.ts';

/**
 * The releases of a module in the order of their publication. Throws a DatabaseError if the content of one is no JSON object, which
 * would make the list unreadable (T225). That takes 0.5 ms for 1,000 releases.
 */
export function storedReleases(sql: Statements, { id }: ModuleRow): StoredRelease[] {
  const rows = sql.all(
    `SELECT ${RELEASE_COLUMNS}, module, json_valid(content) AS is_json,
       releases.id IN (SELECT release FROM release_notes) AS has_notes
     FROM releases WHERE module = ? ORDER BY id`,
    id,
  );
  const rollouts = rolloutsIn(sql, id);
  return rows.map((row) => {
    const release = releaseRow(row, sql);
    if (row['is_json'] !== 1 || !release.content.startsWith('{"')) throw damagedContent(sql, row);
    const { version, published_at: publishedAt, content, yanked } = release;
    const hasNotes = row['has_notes'] === 1;
    const rollout = listedIn(rollouts.get(release.id));
    return { rollout, version, publishedAt, content, yanked, hasNotes };
  });
}

function damagedContent(sql: Statements, { id, module = null, version }: Row): DatabaseError {
  const named = sql.get("SELECT namespace || ':' || name AS id FROM modules WHERE id = ?", module);
  const release = excerpt(`${String(named?.['id'])} ${String(version)}`);
  const why = `the content of ${release} is not that of a release`;
  return damagedValue(sql, { table: 'releases', row: id, column: 'content' }, why);
}

function listedIn(stored: StoredRollout | undefined): StoredRelease['rollout'] {
  return stored && listedRollout(stored.rollout);
}

/** The names of its fields, its time and its punctuation. */
const RELEASE_BYTES = 70;

/** About the bytes of the list of a module; 0 if there is none. SQLite does not read the texts for it. */
export function storedSize(sql: Statements, moduleId: ModuleId): number {
  const row = sql.get(
    `SELECT sum(${RELEASE_BYTES} + octet_length(version) + octet_length(content) + coalesce(octet_length(yanked), 0)) AS size
     FROM releases WHERE module = ?`,
    moduleIn(sql, moduleId)?.id ?? null,
  );
  return Number(row?.['size'] ?? 0);
}

/** The result that publishing `release` would have. */
function publishResultOf(
  sql: Statements,
  moduleId: ModuleId,
  release: PublishedRelease,
  hasFile: Publishing['hasFile'],
): PublishResult {
  const module = moduleIn(sql, moduleId);
  const before = module && releaseIn(sql, module, release.version);
  // D146
  const isTaken = (): boolean => signatureFault(sql, moduleId, release) === undefined;
  if (!before) {
    if (!hostedArtifacts(release.artifacts).every(hasFile)) return 'missing-file';
    return isTaken() ? 'published' : 'unsigned';
  }
  if (!isSameRelease(before, release)) return 'other-content';
  const same = moreSignatures(before, release) ? 'signed' : 'unchanged';
  if (same === 'signed' && !isTaken()) return 'unsigned';
  if (!release.rollout) return same;
  const known = rolloutIn(sql, before.id);
  // Machines may have it already, and what they have does not become part of a rollout (D55).
  if (!known) return 'without-rollout';
  const { soakMs, first = [] } = release.rollout;
  const isSameFirst = known.rollout.first.join() === first.join();
  return known.soakMs === soakMs && isSameFirst ? same : 'other-soak';
}

const REFUSED: ReadonlySet<PublishResult> = new Set([
  'other-content',
  'missing-file',
  'unsigned',
  'without-rollout',
  'other-soak',
]);

/** Whether nothing of a list is published because of this result. */
export function isRefused(
  result: PublishResult,
): result is Exclude<PublishResult, 'published' | 'signed' | 'yanked' | 'unchanged'> {
  return REFUSED.has(result);
}

/** What publishing takes besides the releases. */
export interface Publishing {
  readonly now: number;
  /** The first step of a release that begins a rollout. */
  readonly startOf: (release: PublishedRelease) => RolloutStart | undefined;
  /** Whether the registry has a file of this size. */
  readonly hasFile: (file: { readonly sha256: string; readonly size: number }) => boolean;
}

const TIME: Expected = numberIn(
  isWritable,
  'milliseconds since the epoch, in the years 0000 to 9999 of UTC',
);

/** Publishes releases in order, or none if one is refused. The caller has a transaction. */
export function publishReleases(
  sql: Statements,
  moduleId: ModuleId,
  releases: readonly PublishedRelease[],
  publishing: Publishing,
): readonly PublishResult[] {
  for (const release of releases)
    expectArgument('publish()', 'release', release, PUBLISHED_RELEASE);
  expectArgument('publish()', 'now', publishing.now, TIME);
  for (const release of releases) expectReadable(release);
  const results = releases.map((one) => publishResultOf(sql, moduleId, one, publishing.hasFile));
  if (results.some(isRefused)) return results;
  for (const [place, release] of releases.entries()) {
    // Checked again, because the list may contain a version twice.
    const result = publishResultOf(sql, moduleId, release, publishing.hasFile);
    if (result === 'published') addRelease(sql, moduleId, release, publishing);
    else results[place] = result;
    if (result === 'signed') addSignatures(sql, moduleId, release);
    const isYanked = yankAsPublished(sql, moduleId, release, publishing.now);
    if (isYanked && result === 'unchanged') results[place] = 'yanked';
  }
  return results;
}

/** Adds a release that is not yet published, with its rollout: no list has the release without it (D55). */
function addRelease(
  sql: Statements,
  moduleId: ModuleId,
  release: PublishedRelease,
  { now, startOf }: Publishing,
): void {
  for (const { sha256 } of hostedArtifacts(release.artifacts)) keepArtifact(sql.path, sha256);
  const module = moduleIn(sql, moduleId)?.id ?? addModule(sql, moduleId);
  const added = sql.run(
    'INSERT INTO releases (module, version, published_at, content) VALUES (?, ?, ?, ?)',
    module,
    release.version,
    release.publishedAt ?? now,
    contentOf(release),
  );
  touch(sql, module);
  if (!release.rollout) return;
  const start = startOf(release);
  if (!start) return;
  const key = { module, release: Number(added.lastInsertRowid) };
  appendEvent(sql, key, start, release.rollout.soakMs);
}

/** Adds the signatures of a publication to a release that is published already (D135). */
function addSignatures(sql: Statements, moduleId: ModuleId, release: PublishedRelease): void {
  const module = moduleIn(sql, moduleId);
  const before = module && releaseIn(sql, module, release.version);
  const signatures = before && moreSignatures(before, release);
  if (!signatures) return;
  setSignatures(sql, before, signatures);
  touch(sql, module.id);
}

/** Whether no constraint but a pin selects a release. */
export function isWithdrawn(release: ReleaseRow): boolean {
  return release.yanked !== null;
}

/** A yank, with the signatures of authors. */
interface Yanking {
  /** Null unyanks. */
  readonly reason: string | null;
  readonly now: number;
  readonly signatures?: Signatures | undefined;
}

/** Yanks a release for a reason, which halts its rollout, or unyanks it if that is null. The caller has a transaction. */
export function setYanked(
  sql: Statements,
  module: ModuleRow,
  release: ReleaseRow,
  { reason, now: at, signatures }: Yanking,
): void {
  const { id } = release;
  sql.run('UPDATE releases SET yanked = ? WHERE id = ?', reason, id);
  setYankSignatures(sql, release, reason === null ? undefined : signatures);
  touch(sql, module.id);
  // When the release is unyanked, its rollout must not go on by itself (T164).
  const because = `yanked${reason && `: ${reason}`}`;
  if (reason !== null) haltRunning(sql, { module: module.id, release: id }, { because, at });
}

/** Deprecates a release for a reason, or reverts that if it is null. Returns whether it changed anything. The caller has a transaction. */
export function setDeprecated(
  sql: Statements,
  module: ModuleRow,
  { id, content }: ReleaseRow,
  reason: string | null,
): boolean {
  if (deprecationIn(content) === reason) return false;
  sql.run(
    "UPDATE releases SET content = json_set(content, '$.deprecated', ?) WHERE id = ?",
    reason,
    id,
  );
  touch(sql, module.id);
  return true;
}

/**
 * Yanks a release that is published as yanked, such as one imported from another registry. Never unyanks. Whether it
 * changed anything.
 */
function yankAsPublished(
  sql: Statements,
  moduleId: ModuleId,
  { version, yanked, yankSignatures: signatures }: PublishedRelease,
  now: number,
): boolean {
  const module = moduleIn(sql, moduleId);
  const before = module && releaseIn(sql, module, version);
  if (!before || yanked === undefined || isWithdrawn(before)) return false;
  setYanked(sql, module, before, { reason: yanked, now, signatures });
  return true;
}
