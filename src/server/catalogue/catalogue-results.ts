import type { ModuleId } from '../../core/index.ts';

/** The result of publishing a release. Only `published`, `signed` and `yanked` changed something. */
export type PublishResult =
  /** The version is new. */
  | 'published'
  /** The version already existed with the same content, and has more signatures now. */
  | 'signed'
  /** The version already existed with the same content, and is now yanked. */
  | 'yanked'
  /** The version already existed with the same content. */
  | 'unchanged'
  /** The version already exists with different content or a different publish time, and cannot be replaced. */
  | 'other-content'
  /** The registry has no file of the stated size for an artifact that it should host. */
  | 'missing-file'
  /** The registry has a trust document, and by it the release has no signature, or one that is not right. */
  | 'unsigned'
  /** The version is to begin a rollout, but was published without one, and machines may have it. */
  | 'without-rollout'
  /** The version has a rollout whose steps last another time, or with other groups first. */
  | 'other-soak';

/** The result of a yank, of a deprecation, or of what reverts one. Only `done` changed something. */
export type YankResult = 'done' | 'unchanged' | 'unknown-module' | 'unknown-version';

/** The modules that changed after a sequence number. */
export interface Changes {
  /** Identifies the series of changes that the sequence numbers count. */
  readonly history: string;
  /** The sequence number of the catalogue's last change. Each change increments it. */
  readonly sequence: number;
  /** Each changed module once, the most recently changed last. */
  readonly modules: readonly ModuleId[];
}

/** A module of a catalogue. */
export interface ModuleSummary {
  /** The module. */
  readonly moduleId: ModuleId;
  /** The number of changes to the module: each publication, yank and unyank increments it. */
  readonly generation: number;
  /** The number of releases, including yanked ones. */
  readonly count: number;
}
