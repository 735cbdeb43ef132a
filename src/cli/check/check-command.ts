import { failed, type Outcome } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import { checkedFiles, type CheckTerms, type CheckedFile } from '../../host/checked-files.ts';
import { checkedAsJson, formatChecked } from './check-report.ts';

export interface CheckOptions extends CheckTerms {
  readonly strict?: true;
  readonly json?: true;
}

/** `modreg check <files...>`: shows every problem in each document. */
export function checkCommand(
  paths: readonly string[],
  options: CheckOptions,
  world: World,
): Outcome {
  const outcomes = paths.map((path) => checkFile(path, options, world));
  return {
    answer: outcomes.flatMap(({ answer }) => answer),
    notes: [],
    problems: outcomes.flatMap(({ problems }) => problems),
    ending: outcomes.some(({ ending }) => ending === 'no') ? 'no' : undefined,
  };
}

function checkFile(path: string, options: CheckOptions, world: World): Outcome {
  const result = checkedFiles(path, options, world);
  if (!result.ok) return failed(...result.error);
  const { checked, files } = result.value;
  const isRefused = ({ report: { errors, warnings } }: CheckedFile): boolean =>
    errors > 0 || (options.strict === true && warnings > 0);
  return {
    answer: options.json ? [checkedAsJson(checked, files)] : formatChecked(checked, files),
    notes: [],
    problems: [],
    ending: files.some(isRefused) ? 'no' : undefined,
  };
}
