import type { DigestChange } from '../../core/index.ts';
import { describeDigestChange } from '../../core/explanation/words.ts';
import { excerpt } from '../../core/text/quote.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import type { Outcome } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import type { RegistryOptions } from '../../host/registry-choice.ts';
import type { Acceptance, FieldChange } from '../../registry/acceptance.ts';
import { acceptModule, type AcceptedList } from '../../site/accept.ts';
import { jsonLine } from '../base/answer-json.ts';
import { outcomeOf } from '../base/outcome.ts';

export interface AcceptOptions extends RegistryOptions {
  readonly dryRun?: true;
}

/** How many entries of each group are named. */
const NAMED = 10;

/** `modreg accept <module_id>`: shows how a list differs from the saved one, and saves it even if it regressed (D22). */
export async function acceptCommand(
  moduleIdText: string,
  options: AcceptOptions,
  world: World,
): Promise<Outcome> {
  const { dryRun: isDryRun = false, json } = options;
  return outcomeOf(await acceptModule(moduleIdText, options, world), (list) => ({
    answer: json ? [asJson(list, isDryRun)] : asLines(list, isDryRun),
  }));
}

function asLines({ moduleId, acceptance }: AcceptedList, isDryRun: boolean): string[] {
  const differences = acceptance ? differencesOf(acceptance) : ['no list was saved before'];
  const lines = differences.length === 0 ? ['nothing changed'] : differences;
  const result = isDryRun ? 'nothing was accepted' : 'accepted: the current list is saved';
  return [moduleId, ...lines.map((line) => `  ${line}`), result];
}

function differencesOf(acceptance: Acceptance): string[] {
  const { generations, gone, added, changedDigests, changedFields, isOther } = acceptance;
  const [before, now] = generations;
  const lines = [
    ...(before === now ? [] : [`generation ${before ?? 'none'} → ${now ?? 'none'}`]),
    ...named('gone', gone),
    ...named('new', added),
    ...named('changed', Array.from(changedDigests, changeOf)),
    ...named(
      'changed',
      Array.from(
        changedFields,
        ([version, fields]) => `${version}: ${fields.map(describeChange).join(', ')}`,
      ),
    ),
  ];
  return isOther && lines.length === 0 ? ['different bytes, the same contents'] : lines;
}

function changeOf([version, change]: readonly [string, DigestChange]): string {
  return `${excerpt(version)}: ${describeDigestChange(change)}`;
}

/** What a field was and what it is now: `no longer yanked (it was: stops the motor)`. */
function describeChange(change: FieldChange): string {
  const { field } = change;
  if (field === 'artifacts' || field === 'signatures') return `other ${field}`;
  if (field === 'published_at') {
    return `published_at ${timeText(change.before)} → ${timeText(change.now)}`;
  }
  const { before, now } = change;
  const what = field === 'floor' ? 'a floor' : field;
  if (now === undefined) return `no longer ${what}${before ? ` (it was: ${excerpt(before)})` : ''}`;
  if (before === undefined) return `now ${what}${now ? `: ${excerpt(now)}` : ''}`;
  return `${what} for another reason: ${reasonText(before)} → ${reasonText(now)}`;
}

function timeText(time: number | undefined): string {
  return time === undefined ? 'none' : formatTime(time);
}

function reasonText(reason: string): string {
  return reason === '' ? 'none' : excerpt(reason);
}

function named(what: string, entries: readonly string[]): string[] {
  const lines = entries.slice(0, NAMED).map((entry) => `${what.padEnd(7)} ${excerpt(entry)}`);
  const rest = entries.length - NAMED;
  return rest > 0 ? [...lines, `${what.padEnd(7)} … ${rest} more`] : lines;
}

function asJson({ moduleId, acceptance }: AcceptedList, isDryRun: boolean): string {
  const changes = [...(acceptance?.changedDigests ?? [])];
  return jsonLine({
    schema: 'modreg/accept@1',
    module_id: moduleId,
    known: acceptance !== undefined,
    accepted: !isDryRun,
    generation: {
      known: acceptance?.generations[0] ?? null,
      now: acceptance?.generations[1] ?? null,
    },
    gone: acceptance?.gone ?? [],
    new: acceptance?.added ?? [],
    changed: changes.map(([version, { platform, first, now }]) => ({
      version,
      platform,
      first_digest: first,
      digest: now ?? null,
    })),
    changed_fields: Object.fromEntries(
      Array.from(acceptance?.changedFields ?? [], ([version, fields]) => [
        version,
        fields.map(({ field }) => field),
      ]),
    ),
  });
}
