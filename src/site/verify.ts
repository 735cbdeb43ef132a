import { statSync } from 'node:fs';
import type { Result } from '../core/index.ts';
import { quote } from '../core/text/quote.ts';
import type { Problem } from '../base/problem.ts';
import { checkBackup } from '../server/backup/backup-folder.ts';
import type { Finding } from '../server/backup/catalogue-check.ts';
import { checkRegistry } from '../server/backup/registry-check.ts';
import { databaseProblem } from './catalogue-options.ts';
import { damageProblem, repairOfFiles } from './damage.ts';

/** What was checked, and what is wrong with it. */
export interface Checked {
  readonly kind: 'backup' | 'registry';
  readonly contents:
    | {
        readonly modules: number;
        readonly releases: number;
        readonly files: number;
        readonly sequence: number;
      }
    | undefined;
  readonly findings: readonly Finding[];
}

/** Checks the registry or the backup at `path`, and changes nothing. */
export function verifyRegistry(
  path: string,
): Result<Checked & { readonly damage: Problem | undefined }, Problem> {
  try {
    const checked = check(path);
    const { kind, findings } = checked;
    const what = `the ${kind} ${quote(path)} is damaged`;
    const isWhole = findings.length === 0;
    const damage = isWhole ? undefined : damageProblem(what, findings, hintFor(path, checked));
    return { ok: true, value: { ...checked, damage } };
  } catch (error) {
    return { ok: false, error: databaseProblem(error) };
  }
}

function check(path: string): Checked {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    const { manifest, findings } = checkBackup(path);
    const contents = manifest && { ...manifest, files: manifest.files.length };
    return { kind: 'backup', contents, findings };
  }
  const { contents, findings } = checkRegistry(path);
  return {
    kind: 'registry',
    contents: contents && { ...contents, files: contents.files.size },
    findings,
  };
}

function hintFor(path: string, { kind, contents }: Checked): string {
  if (kind === 'backup') return 'do not restore it; modreg registry backup makes another one';
  const restoring = 'modreg registry restore <folder> --replace restores a backup';
  // With contents, only hosted files are damaged.
  return contents ? `${repairOfFiles(path)}; or ${restoring}` : restoring;
}
