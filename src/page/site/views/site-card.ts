import { parseModuleId } from '../../../core/index.ts';
import type { Remedy } from '../../../core/plan/remedy.ts';
import { excerpt } from '../../../core/text/quote.ts';
import { notedReleaseOf } from '../../../host/plan/release-notes-of.ts';
import { failingWords } from '../../../site/failing-words.ts';
import type { ShownMachine, ShownPlacedModule } from '../../../site/machines.ts';
import type { CardRow } from '../../card-row.ts';
import { cardWords } from '../../plan-card.ts';
import { remedyWords } from '../../remedy-words.ts';
import { failingHeadline, placedWords } from './placed-words.ts';
import { modulePath, notesPath } from './site-words.tsx';

/** Of what is said of newer releases, in characters. */
const LONGEST_WORDS = 600;

/** A module as its machine reported it, and what it does next by its own terms and the releases of this registry (D413). */
export function siteCard(
  module: ShownPlacedModule,
  { documents }: Pick<ShownMachine, 'documents'>,
  now: number,
): CardRow {
  const { name, moduleId, refused, failing, constraint = '-' } = module;
  const kind = module.kind === 'subsystem' ? 'subsystem' : 'module';
  const row = refused?.row;
  const times = { now, timeZone: refused?.timeZone };
  const words = row
    ? cardWords(row, { open: undefined, failing: undefined, problems: [], times })
    : placedWords(module, times);
  const failed = failing && failingHeadline(failing);
  return {
    ...words,
    kind,
    // It is part of the id of an element.
    name: encodeURIComponent(name.toWellFormed()),
    label: labelOf(module),
    moduleId,
    path: kind === 'module' ? modulePath(moduleId) : undefined,
    state: failed === undefined ? words.state : 'needs attention',
    headline: failed ?? words.headline,
    remedy: failing === undefined ? words.remedy : remedyWords(remedyOfFailing(failing)),
    constraint: excerpt(constraint),
    // Keys are looked up on the machine.
    signatures: undefined,
    notes: notesOf(module),
    stops: words.isChange || module.decision === 'restart' ? stopsOf(module) : [],
    downloaded: undefined,
    process: undefined,
    quarantined: [],
    warnings: [
      ...(row ? words.warnings : shortened(refused?.warnings ?? [])),
      ...(module.isHeldLong ? ['It has waited for over a week.'] : []),
      ...(kind === 'module' ? savedWords(module, documents) : []),
    ],
    reasons: [...(failing ? [failingWords(failing)] : []), ...words.reasons, ...newerWords(module)],
  };
}

/** A rollback helps against a release, not against what is wrong with the machine. */
function remedyOfFailing({ blame }: NonNullable<ShownPlacedModule['failing']>): Remedy {
  return blame === 'machine' ? 'machine' : 'failing';
}

function labelOf({ kind, name, moduleId }: ShownPlacedModule): string {
  if (kind !== 'module') return excerpt(name);
  return name === moduleId.replace(':', '_') ? moduleId : `${moduleId} (${excerpt(name)})`;
}

function notesOf({ moduleId, refused }: ShownPlacedModule): CardRow['notes'] {
  const version = refused?.row && notedReleaseOf(refused.row.decision)?.version.text;
  const id = parseModuleId(moduleId);
  if (version === undefined || !id.ok) return undefined;
  return { version, path: notesPath({ moduleId: id.value, version }) };
}

function stopsOf({ stops }: ShownPlacedModule): CardRow['stops'] {
  return stops.map((component) => ({ component: excerpt(component), dependsOn: [] }));
}

function shortened(texts: readonly string[]): string[] {
  return texts.map((text) => excerpt(text, LONGEST_WORDS));
}

/** Why newer releases are refused, which the reason in the row of a plan says already. */
function newerWords({ refused }: ShownPlacedModule): string[] {
  return refused?.newer === undefined || refused.row ? [] : shortened([`newer ${refused.newer}`]);
}

/** What the newest documents have of an entry that the machine does not run yet (D414). */
function savedWords(
  { name, constraint }: ShownPlacedModule,
  documents: ShownMachine['documents'],
): string[] {
  if (!documents || documents.said?.applied === documents.newest) return [];
  const { newest, entries } = documents;
  const saved = entries.find((entry) => entry.name === name);
  if (!saved) return [`Revision ${newest} does not have it. The machine has not applied that yet.`];
  if (saved.type !== 'registry' || saved.version === constraint) return [];
  const version = excerpt(saved.version);
  return [`Revision ${newest} has ${version}. The machine has not applied that yet.`];
}
