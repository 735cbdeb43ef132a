import { failed, usage, type Outcome, type Problem } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import {
  checkedFiles,
  type CheckedDocument,
  type CheckedFile,
  type CheckTerms,
} from '../../host/checked-files.ts';
import type { ListOptions } from '../../host/list-options.ts';
import type { CheckedLists } from '../../host/lint/checked-lists.ts';
import type { Result } from '../../core/index.ts';
import { checkedAsJson, formatChecked } from './check-report.ts';

export interface CheckOptions extends CheckTerms, Omit<ListOptions, 'at'> {
  readonly strict?: true;
  readonly json?: true;
}

const NEED_LISTS = ['platform', 'maxAge', 'offline'] as const;
const NAMES = { platform: '--platform', maxAge: '--max-age', offline: '--offline' };

/** `modreg check <files...>`: shows every problem in each document; with `--registry`, also those that release lists show. */
export async function checkCommand(
  paths: readonly string[],
  options: CheckOptions,
  world: World,
): Promise<Outcome> {
  const alone = NEED_LISTS.find((name) => options[name] !== undefined);
  if (alone && options.registry === undefined) {
    return failed(usage(`${NAMES[alone]} is about release lists, which --registry names`));
  }
  const outcomes: Outcome[] = [];
  // One after the other: the lists of the first are there for the next.
  for (const path of paths) outcomes.push(await checkFile(path, options, world));
  return {
    answer: outcomes.flatMap(({ answer }) => answer),
    notes: [],
    problems: outcomes.flatMap(({ problems }) => problems),
    ending: outcomes.some(({ ending }) => ending === 'no') ? 'no' : undefined,
  };
}

async function checkFile(path: string, options: CheckOptions, world: World): Promise<Outcome> {
  const result = checkedFiles(path, options, world);
  if (!result.ok) return failed(...result.error);
  const { checked, files: alone } = result.value;
  const read = await listsOf(path, result.value, options, world);
  if (read?.ok === false) return failed(...read.error);
  const lists = read?.value;
  const files = lists?.files ?? alone;
  const problems: readonly Problem[] = lists?.warnings ?? [];
  const isRefused = ({ report: { errors, warnings } }: CheckedFile): boolean =>
    errors > 0 || (options.strict === true && warnings > 0);
  const isStrict = options.strict === true && problems.length > 0;
  const report = [checked, files, lists?.lists] as const;
  return {
    answer: options.json ? [checkedAsJson(...report)] : formatChecked(...report),
    notes: [],
    problems,
    ending: isStrict || files.some(isRefused) ? 'no' : undefined,
  };
}

/** Undefined if no lists are asked for, or the document needs none. */
async function listsOf(
  path: string,
  document: CheckedDocument,
  options: CheckOptions,
  world: World,
): Promise<Result<CheckedLists, Problem[]> | undefined> {
  if (options.registry === undefined || document.checked.kind !== 'machine') return undefined;
  // Imported here, so that a check without lists loads nothing for them.
  const { checkedLists } = await import('../../host/lint/checked-lists.ts');
  return await checkedLists(path, document, options, world);
}
