import { existsSync, readdirSync } from 'node:fs';
import { sep } from 'node:path';
import { nearestWord } from '../core/text/nearest-word.ts';

/** The existing path that `path` probably means, with one misspelt name; undefined if none is near (D426). */
export function nearPath(path: string): string | undefined {
  const names = path.split(sep);
  // The name that is missing is the first one that leads to nothing.
  const at = names.findIndex((_, place) => !existsSync(names.slice(0, place + 1).join(sep) || sep));
  const nearest = at === -1 ? undefined : nearestIn(names.slice(0, at), names[at] ?? '');
  if (nearest === undefined) return undefined;
  const meant = names.with(at, nearest).join(sep);
  return existsSync(meant) ? meant : undefined;
}

function nearestIn(folder: readonly string[], name: string): string | undefined {
  const path = folder.length === 0 ? '.' : folder.join(sep) || sep;
  try {
    return nearestWord(name, readdirSync(path));
  } catch (error) {
    // The folder may not be read by this user: then there is no suggestion.
    if (error instanceof Error && 'code' in error) return undefined;
    throw error;
  }
}
