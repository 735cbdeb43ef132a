import type { ModuleId, Result } from '../../core/index.ts';
import {
  APPLY_TO_MACHINES,
  type MachineChangeResults,
  type MachineChanges,
} from '../configs/machine-change.ts';
import type { Statements } from '../../sqlite/statements.ts';
import type { PublishResult, YankResult } from './catalogue-results.ts';
import { writeRollout, type RolloutOfRelease, type RolloutRefusal } from './catalogue-rollouts.ts';
import { moduleIn, releaseIn, type ModuleRow, type ReleaseRow } from './module-row.ts';
import type { PublishedRelease } from './published-release.ts';
import { moreYankSignatures, type Signatures } from './release-content.ts';
import { publishReleases, setDeprecated, setYanked, type Publishing } from './release-table.ts';
import { addNotes, type NotesResult } from './release-notes.ts';
import type { RolloutStart } from './rollout-start.ts';
import type { NewRolloutEvent } from './rollout-event.ts';
import { storeDocument, type TrustResult } from './trust-table.ts';

interface OfModule {
  readonly moduleId: ModuleId;
}

interface Changes extends MachineChanges {
  readonly publish: OfModule & {
    readonly release: PublishedRelease;
    /** The first step, if the release begins a rollout. */
    readonly start: RolloutStart | undefined;
    readonly now: number;
  };
  /** A reason of null unyanks. */
  readonly yank: OfModule & {
    readonly version: string;
    readonly reason: string | null;
    readonly now: number;
    /** Of authors, over the yank. */
    readonly signatures?: Signatures | undefined;
  };
  /** A reason of null undeprecates. */
  readonly deprecate: Omit<Changes['yank'], 'signatures'>;
  /** Notes for a release that has none. */
  readonly notes: OfModule & { readonly version: string; readonly notes: string };
  readonly rollout: OfModule & {
    readonly version: string;
    readonly event: NewRolloutEvent;
    readonly soakMs: number | undefined;
  };
  /** A version of the trust document, as text. */
  readonly trust: { readonly document: string };
}

export type ChangeKind = keyof Changes;

/** A change of one module, of the keys of the registry, or of what is served to machines. Its result depends on it and on the catalogue alone: not on a clock, chance, or reports. */
export type CatalogueChange<K extends ChangeKind = ChangeKind> = {
  readonly [P in K]: { readonly kind: P } & Changes[P];
}[K];

/** What each kind of change results in. */
export interface ChangeResults extends MachineChangeResults {
  readonly publish: PublishResult;
  readonly yank: YankResult;
  readonly deprecate: YankResult;
  readonly notes: NotesResult;
  readonly rollout: Result<RolloutOfRelease, RolloutRefusal>;
  readonly trust: TrustResult;
}

/** What a change does not say. */
export interface Applying {
  readonly hasFile: Publishing['hasFile'];
  /** Who makes it, where that is known; a single server keeps it for the events of rollouts (D375). */
  readonly by?: string | undefined;
}

type Apply<K extends ChangeKind> = (
  sql: Statements,
  change: CatalogueChange<K>,
  applying: Applying,
) => ChangeResults[K];

const APPLY: { readonly [K in ChangeKind]: Apply<K> } = {
  publish(sql, { moduleId, release, start, now }, { hasFile }) {
    const publishing = { now, startOf: () => start, hasFile };
    const [result] = publishReleases(sql, moduleId, [release], publishing);
    return result ?? 'unchanged';
  },
  yank: (sql, { moduleId, version, reason, now, signatures: added }) =>
    inRelease(sql, { moduleId, version }, (module, release) => {
      const signatures = moreYankSignatures(release, reason, added);
      if (release.yanked === reason && !signatures) return 'unchanged';
      setYanked(sql, module, release, { reason, now, signatures });
      return 'done';
    }),
  deprecate: (sql, { moduleId, version, reason }) =>
    inRelease(sql, { moduleId, version }, (module, release) =>
      setDeprecated(sql, module, release, reason) ? 'done' : 'unchanged',
    ),
  notes: (sql, { notes, ...release }) => addNotes(sql, release, notes),
  rollout(sql, { moduleId, version, event, soakMs }, { by }) {
    const written = writeRollout(sql, { moduleId, version }, event, soakMs);
    if (!written.ok || by === undefined) return written;
    const { sequence } = written.value.rollout;
    sql.run('INSERT INTO rollout_authors VALUES (?, ?)', sequence, by);
    return written;
  },
  trust: (sql, { document }) => storeDocument(sql, document),
  ...APPLY_TO_MACHINES,
};

function inRelease(
  sql: Statements,
  { moduleId, version }: { readonly moduleId: ModuleId; readonly version: string },
  change: (module: ModuleRow, release: ReleaseRow) => 'done' | 'unchanged',
): YankResult {
  const module = moduleIn(sql, moduleId);
  if (!module) return 'unknown-module';
  const release = releaseIn(sql, module, version);
  return release ? change(module, release) : 'unknown-version';
}

/** Applies a change. The caller has a transaction. */
export function applyChange<K extends ChangeKind>(
  sql: Statements,
  change: CatalogueChange<K>,
  applying: Applying,
): ChangeResults[K] {
  const kind: K = change.kind;
  return APPLY[kind](sql, change, applying);
}
