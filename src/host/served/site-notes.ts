import { dirname } from 'node:path';
import { excerpt } from '../../core/text/quote.ts';
import type { MachineFile } from '../../store/index.ts';
import { keptState } from './served-state.ts';

/** Notes about the documents that a machine follows: what it runs, and what it refuses (D266). None if it follows none. */
export function siteNotes({ path }: Pick<MachineFile, 'path'>): string[] {
  const state = keptState(dirname(path));
  if (!state) return [];
  const { site, current, provisional, refused } = state;
  const where = `the documents that ${excerpt(site)} serves`;
  const until = provisional ? ', until it has reached its site for good' : '';
  const runs = current ? [`note: revision ${current.revision} of ${where} is in use${until}`] : [];
  if (!refused) return runs;
  const { revision, code, detail } = refused;
  return [
    ...runs,
    `note: revision ${revision} of ${where} is refused: ${excerpt(code)}: ${excerpt(detail, LONGEST)}`,
  ];
}

const LONGEST = 900;
