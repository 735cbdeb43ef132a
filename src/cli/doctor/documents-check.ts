import type { Result } from '../../core/index.ts';
import { excerpt, quote } from '../../core/text/quote.ts';
import { checkedFiles, type CheckedDocument, type CheckedFile } from '../../host/checked-files.ts';
import { textOf } from '../../host/document-findings.ts';
import { readRegularFile } from '../../host/document-file.ts';
import { countOf } from '../../base/count.ts';
import type { Problem } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import { findingsOf, type Finding } from './finding.ts';
import { shellWord } from '../../base/shell-word.ts';

const { ok, info, warning, error } = findingsOf('documents');

/** The documents of the machine after their check. The error: files that cannot be read. Undefined if none is named. */
export type DocumentFacts = Result<CheckedDocument, Problem[]> | undefined;

export function documentFacts(
  path: string | undefined,
  options: { readonly policy?: string },
  world: World,
): DocumentFacts {
  if (path === undefined) return undefined;
  const missing = [path, ...(options.policy === undefined ? [] : [options.policy])].flatMap(
    (file) => {
      const read = readRegularFile(file);
      return read.ok ? [] : [read.error];
    },
  );
  if (missing.length > 0) return { ok: false, error: missing };
  return checkedFiles(path, { ...options, as: 'machine' }, world);
}

/** Whether the machine config and its policy can be used, as `modreg check` sees them. */
export function checkDocuments(facts: DocumentFacts): Finding[] {
  if (!facts)
    return [info('no machine config is named', 'modreg doctor machine.json checks it too')];
  if (!facts.ok) return facts.error.map((problem) => unreadable(problem));
  const { checked, files } = facts.value;
  const [machine, policy] = files;
  const findings = files.flatMap((file) => problemsOf(file));
  if (findings.length > 0) return findings;
  const against = policy
    ? `policy ${excerpt(policy.path)}`
    : `no policy: ${countOf(checked.modules, 'module')} may update at any time`;
  const name = excerpt(machine?.path ?? '');
  return [ok(`${name}: ${countOf(checked.modules, 'module')}; ${against}`)];
}

function unreadable({ message, hint }: Problem): Finding {
  return error(message, hint ?? 'correct the path, or make the file readable for this user: ls -l');
}

/** The first problem of a document, with the number of all. What a later version refuses comes first (D61). */
function problemsOf({ path, report }: CheckedFile): Finding[] {
  const { errors, warnings, problems } = report;
  const isRefused = errors > 0;
  const first =
    problems.find(({ kind }) => !isRefused && kind === 'secret-variable') ??
    problems.find(({ severity }) => severity === (isRefused ? 'error' : 'warning'));
  if (!first) return [];
  const count = isRefused ? countOf(errors, 'error') : countOf(warnings, 'warning');
  const found = `${quote(path)} has ${count}; ${first.line}:${first.column} ${textOf(first)}`;
  return [(isRefused ? error : warning)(found, `modreg check ${shellWord(path)} shows them all`)];
}
