import type { ModuleId } from '../core/index.ts';

/** What publishing a release did: an unchanged release, and one with other content, changed nothing. */
export type PublishResult =
  /** The version is new. */
  | 'published'
  /** The version existed with the same content, and is now yanked. */
  | 'yanked'
  /** The version existed with the same content. */
  | 'unchanged'
  /** The version exists with other content or another publish time, which cannot be replaced. */
  | 'other-content';

/** What yanking a release, or taking the yank back, did: only `done` changed something. */
export type YankResult = 'done' | 'unchanged' | 'unknown-module' | 'unknown-version';

/** The modules that changed after a sequence number. */
export interface Changes {
  /** The sequence number of the catalogue's last change. Each change increments it. */
  readonly sequence: number;
  /** Each changed module once, the most recently changed one last. */
  readonly modules: readonly ModuleId[];
}

/** A module of a catalogue. */
export interface ModuleSummary {
  /** The module. */
  readonly moduleId: ModuleId;
  /** How often the module has changed: each publication and yank increments it. */
  readonly generation: number;
  /** The number of releases, yanked ones included. */
  readonly count: number;
}
