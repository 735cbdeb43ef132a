import { platformHome } from '../../config/platform-home.ts';
import type { World } from '../../base/world.ts';
import { readPlanDocuments } from '../../host/plan-documents.ts';
import { followedAt } from '../../host/served/documents-in-use.ts';
import { effectiveDocuments } from '../../host/served/effective.ts';
import { machineOption, siteWords } from '../../host/served/site-notes.ts';
import { findingsOf, type Finding } from './finding.ts';

const { info, warning, error } = findingsOf('documents');

function atTheSite(world: World): string {
  return `modreg fleet config show${machineOption(world)} says who saved it; correct it there, and save it again`;
}

/** What the machine follows of its site, and whether that fits to its documents at `path` (D326). */
export function checkFollowed(
  path: string | undefined,
  options: { readonly policy?: string },
  world: World,
): Finding[] {
  const { runs, unproven, refused } = siteWords(platformHome(world.environment));
  return [
    ...(runs === undefined ? [] : [info(runs)]),
    ...(unproven === undefined ? [] : [info(unproven)]),
    ...(refused === undefined ? [] : [warning(refused, atTheSite(world))]),
    ...(path === undefined || runs === undefined ? [] : unfitting(path, options, world)),
  ];
}

/** Errors of the documents at `path` themselves are another finding. */
function unfitting(path: string, options: { readonly policy?: string }, world: World): Finding[] {
  const own = readPlanDocuments(path, { ...options, unknownFields: 'warn' });
  const read = own.ok ? effectiveDocuments(own.value, followedAt(path, world)?.current) : own;
  if (!own.ok || read.ok) return [];
  return read.error.map(({ message, hint }) => error(message, hint ?? atTheSite(world)));
}
