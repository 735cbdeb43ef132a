import { statSync } from 'node:fs';
import { quote } from '../../core/text/quote.ts';
import { checkBackup } from '../../server/backup/backup-folder.ts';
import { checkRegistry } from '../../server/backup/registry-check.ts';
import type { Finding } from '../../server/backup/catalogue-check.ts';
import { DatabaseError } from '../../sqlite/database-error.ts';
import { jsonLine } from '../base/answer-json.ts';
import { countOf } from '../../base/count.ts';
import { failed, usage, type Outcome } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import { databaseProblem, type CatalogueOptions } from '../../site/catalogue-options.ts';
import { damageProblems, repairOfFiles } from '../../site/damage.ts';
import { defaultDatabase } from '../../host/registry-choice.ts';

/** What was checked, and what is wrong with it. */
interface Checked {
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

/** `modreg registry verify [folder-or-db]`: checks a registry or a backup, and changes nothing. */
export function verifyCommand(
  named: string | undefined,
  { db, json }: CatalogueOptions,
  world: World,
): Outcome {
  if (named !== undefined && db !== undefined) {
    return failed(usage('a path and --db are given: name one registry or backup'));
  }
  const path = named ?? db ?? defaultDatabase(world);
  if (path === undefined || path === '') {
    return failed(
      usage('no registry or backup is named: pass its path, or set PLATFORM_HOME or HOME'),
    );
  }
  try {
    const checked = check(path);
    const { kind, findings } = checked;
    const problems =
      findings.length > 0
        ? damageProblems(`the ${kind} ${quote(path)} is damaged`, findings, hintFor(path, checked))
        : [];
    if (json) return { answer: [asJson(path, checked)], notes: [], problems };
    return {
      answer: problems.length > 0 || !checked.contents ? [] : [line(path, checked)],
      notes: [],
      problems,
    };
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    return failed(databaseProblem(error));
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

function line(path: string, { kind, contents }: Checked): string {
  const { modules = 0, releases = 0, files = 0, sequence = 0 } = contents ?? {};
  return `the ${kind} ${quote(path)} is intact: ${countOf(modules, 'module')}, ${countOf(releases, 'release')} and ${countOf(files, 'file')}, up to sequence ${sequence}`;
}

function asJson(path: string, { kind, contents, findings }: Checked): string {
  const { modules = null, releases = null, files = null, sequence = null } = contents ?? {};
  return jsonLine({
    schema: 'modreg/registry-verify@1',
    path,
    kind,
    intact: findings.length === 0,
    modules,
    releases,
    files,
    sequence,
    findings,
  });
}
