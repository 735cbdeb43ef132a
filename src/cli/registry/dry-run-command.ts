import type { ModuleId } from '../../core/index.ts';
import { describeDuration } from '../../core/text/duration.ts';
import { countOf } from '../../base/count.ts';
import { failed, type Outcome, type Problem } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import { releaseAsJson } from '../../server/catalogue/published-release.ts';
import type { PublishedRelease } from '../../server/index.ts';
import { dryRunOf, type DryRun } from '../../site/dry-run.ts';
import { groupedEffects } from '../../site/effect-groups.ts';
import { filelessIn } from '../../site/fileless.ts';
import { publishedBefore } from '../../site/published-before.ts';
import { releasesToPublish, type PublishOptions } from '../../site/publish.ts';
import { signersOf } from '../../site/signing.ts';
import { jsonLine } from '../base/answer-json.ts';
import { outcomeOf, type AnswerOptions } from '../base/outcome.ts';
import { foreseen } from './dry-run-before.ts';
import { effectLines, effectsAsJson, unreadWords } from '../fleet/what-if-words.ts';

interface DryRunOptions extends PublishOptions, AnswerOptions {
  /** The release notes; undefined if there are none to add. */
  readonly notesText: string | undefined;
}

/** Shows the entries of the list as the registry would get them, and what machines would do with a single one (D346). */
export async function dryRun(
  [moduleIdText, version]: readonly [string, string | undefined],
  options: DryRunOptions,
  world: World,
): Promise<Outcome> {
  const signers = signersOf(options, world);
  if (!signers.ok) return failed(signers.error);
  const wish = await releasesToPublish(moduleIdText, version, options);
  if (!wish.ok) return outcomeOf(wish, () => NOTHING);
  const { moduleId, releases } = wish.value;
  const tried = await publishedBefore(moduleId, releases, options, world);
  const taken = foreseen(tried, {
    moduleId,
    count: releases.length,
    isRemote: options.registry !== undefined,
    isSigned: signers.value.length > 0,
  });
  // A registry that takes nothing from the author, or does not answer, is not asked for more (D465).
  const shown = tried.failure ? NOT_ASKED : await effectsFor(moduleId, releases, options, world);
  const entries = releases.map((release): object => JSON.parse(releaseAsJson(release)) as object);
  const schema = 'modreg/registry-publish@1';
  const noted = notedAs(options.notesText);
  const fileless =
    tried.before.length > 0 ? undefined : filelessIn(moduleId, releases, options, world);
  const head = { schema, dry_run: true, module_id: moduleId, releases: entries };
  const without = { ...(fileless !== undefined && { without_file: true }) };
  const json = { ...head, ...taken.json, ...without, ...noted.json, ...shown.json };
  const text = entries.flatMap((one) => JSON.stringify(one, undefined, 2).split('\n'));
  return {
    answer: options.json ? [jsonLine(json)] : [...text, ...shown.lines],
    notes: [
      ...taken.notes,
      ...(fileless === undefined ? [] : [filelessNote(fileless)]),
      ...noted.notes,
      ...shown.notes,
    ],
    problems: [...taken.problems, ...shown.problems],
  };
}

function filelessNote(version: string): string {
  return `${version} would have no file, and none could be added later: modreg's agent could not install it; add --upload <file>`;
}

/** Whether the registry has other notes is not asked. */
function notedAs(text: string | undefined): Pick<Shown, 'json' | 'notes'> {
  if (text === undefined) return { json: {}, notes: [] };
  const bytes = Buffer.byteLength(text);
  const line = `its release notes of ${countOf(bytes, 'byte')} would be added if the release has none`;
  return { json: { notes_bytes: bytes }, notes: [line] };
}

const NOTHING = { answer: [], notes: [], problems: [] };

interface Shown {
  readonly json: object;
  readonly lines: readonly string[];
  readonly notes: readonly string[];
  readonly problems: readonly Problem[];
}

const NOT_ASKED: Shown = { json: {}, lines: [], notes: [], problems: [] };

function unknown(because: string): Shown {
  const notes = [`it is not known what machines would do: ${because}`];
  return { json: {}, lines: [], notes, problems: [] };
}

async function effectsFor(
  moduleId: ModuleId,
  releases: readonly PublishedRelease[],
  options: PublishOptions,
  world: World,
): Promise<Shown> {
  const [release, another] = releases;
  if (!release || another) return unknown('that is shown for a single release');
  const effects = await dryRunOf(moduleId, release, options, world);
  if (!effects.ok) return unknown(effects.error);
  if (effects.value.effects.length === 0) {
    return unknown(`no machine has reported ${moduleId} to this registry`);
  }
  return shownAs(moduleId, release, effects.value, world);
}

function shownAs(
  moduleId: ModuleId,
  { version, rollout }: PublishedRelease,
  { effects, isPublished, unread }: DryRun,
  world: World,
): Shown {
  const grouped = groupedEffects(effects, { version, now: world.clock() });
  const lines = effectLines({ moduleId, version, isPublished }, grouped, world);
  const soak = rollout?.soakMs === undefined ? '' : `, ${describeDuration(rollout.soakMs)} each`;
  return {
    json: { machines: effectsAsJson(effects) },
    lines: ['', ...lines],
    notes: [
      ...(unread === undefined ? [] : [unreadWords(moduleId, unread)]),
      ...(rollout ? [`its rollout reaches these machines in steps${soak}`] : []),
    ],
    problems: grouped.warnings.map((message) => {
      return { severity: 'warning', kind: 'breaks-requirement', message };
    }),
  };
}
