import { quote } from '../../core/text/quote.ts';
import { restore, type RestoreResult } from '../../server/backup/restore.ts';
import { DatabaseError } from '../../sqlite/database-error.ts';
import { jsonLine } from '../base/answer-json.ts';
import type { AnswerOptions } from '../base/outcome.ts';
import { countOf } from '../../base/count.ts';
import { failed, usage, type Outcome } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import { databaseProblem, type CatalogueOptions } from '../../site/catalogue-options.ts';
import { damageProblem } from '../../site/damage.ts';
import { defaultDatabase, servedElsewhere } from '../../host/registry-choice.ts';

export interface RestoreOptions extends CatalogueOptions, AnswerOptions {
  readonly replace?: true;
}

type Restored = Extract<RestoreResult, { kind: 'done' }>;

/** `modreg registry restore <folder>`: restores a backup; an earlier registry is kept under another name. */
export function restoreCommand(folder: string, options: RestoreOptions, world: World): Outcome {
  const elsewhere = options.db === undefined ? servedElsewhere(world) : undefined;
  if (elsewhere) return failed(elsewhere);
  const path = options.db ?? defaultDatabase(world);
  if (path === undefined || path === '') {
    return failed(usage('no registry file is named: pass --db, or set PLATFORM_HOME or HOME'));
  }
  try {
    const replaces = options.replace === true;
    const result = restore(folder, path, { replaces, now: world.clock() });
    if (result.kind === 'exists') {
      const message = `${quote(result.path)} exists; nothing was changed: --replace keeps it under another name and restores the backup`;
      return failed(usage(message));
    }
    if (result.kind === 'restoring') {
      const message = `${quote(result.path)}: another process restores it; nothing was changed`;
      return failed({ severity: 'error', kind: 'locked', message });
    }
    if (result.kind === 'damaged') {
      const what = `the backup ${quote(folder)} is damaged, so nothing was restored`;
      return failed(damageProblem(what, result.findings));
    }
    return options.json
      ? { answer: [asJson(path, result)], notes: [], problems: [] }
      : inWords(path, result);
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    const problem = databaseProblem(error);
    if (error.kind !== 'locked') return failed(problem);
    const message = `${quote(path)}: a process uses it; nothing was changed`;
    return failed({
      ...problem,
      message,
      hint: 'stop the server of the registry first, for example: systemctl stop modreg-registry',
    });
  }
}

function inWords(path: string, { manifest, added, setAside, losses, accounts }: Restored): Outcome {
  const { modules, releases, files, created_at } = manifest;
  const what = `${countOf(modules, 'module')}, ${countOf(releases, 'release')} and ${countOf(files.length, 'file')}`;
  const lines = [
    `${quote(path)} is restored from ${created_at}: ${what}; ${added} was added to each generation`,
  ];
  if (setAside !== undefined) lines.push(`the earlier registry is ${quote(setAside)}`);
  if (setAside !== undefined && !losses)
    lines.push('it cannot be read, so what the backup lacks is not known');
  const { releases: lost = [], yanks = [], revocations = [] } = losses ?? {};
  lines.push(
    ...lost.map((release) => `lost: ${release}; machines that run it keep it`),
    ...yanks.map((release) => `no longer yanked: ${release}`),
    ...revocations.map((token) => `no longer revoked: the token ${token}`),
    ...accounts.map((name) => `signs in only after modreg registry account confirm: ${name}`),
  );
  const notes =
    lost.length + yanks.length + revocations.length === 0
      ? []
      : ['note: publish, yank and revoke again what is lost, before the server starts'];
  return { answer: lines, notes, problems: [] };
}

function asJson(path: string, { manifest, added, setAside, losses, accounts }: Restored): string {
  const { releases = null, yanks = null, revocations = null } = losses ?? {};
  return jsonLine({
    schema: 'modreg/registry-restore@1',
    path,
    created_at: manifest.created_at,
    modules: manifest.modules,
    releases: manifest.releases,
    files: manifest.files.length,
    added,
    set_aside: setAside ?? null,
    lost: { releases, yanks, revocations },
    unconfirmed_accounts: accounts,
  });
}
