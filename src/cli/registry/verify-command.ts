import { quote } from '../../core/text/quote.ts';
import { countOf } from '../../base/count.ts';
import { failed, usage, type Outcome } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import { defaultDatabase } from '../../host/registry-choice.ts';
import type { CatalogueOptions } from '../../site/catalogue-options.ts';
import { verifyRegistry, type Checked } from '../../site/verify.ts';
import { jsonLine } from '../base/answer-json.ts';
import { outcomeOf, type AnswerOptions } from '../base/outcome.ts';

/** `modreg registry verify [folder-or-db]`: checks a registry or a backup, and changes nothing. */
export function verifyCommand(
  named: string | undefined,
  { db, json }: CatalogueOptions & AnswerOptions,
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
  return outcomeOf(verifyRegistry(path), ({ damage, ...checked }) => {
    const isWhole = !damage && checked.contents;
    const lines = isWhole ? [line(path, checked)] : [];
    return { answer: json ? [asJson(path, checked)] : lines, problems: damage ? [damage] : [] };
  });
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
