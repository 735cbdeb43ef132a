import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatChecked } from '../../src/cli/check/check-report.ts';
import { checkDocument } from '../../src/config/read-document.ts';
import type { CheckResult } from '../../src/config/report.ts';
import { DOCUMENT_KINDS, type DocumentKind } from '../../src/config/document-kind.ts';
import { ROOT } from './modreg.ts';

/** A document of `test/fixtures/documents`. */
export interface Fixture {
  readonly kind: DocumentKind;
  readonly name: string;
  readonly bytes: Buffer;
}

const FOLDER = join(ROOT, 'test/fixtures/documents');

/** The variables that are set where fixtures are checked. */
export const ENVIRONMENT: Readonly<Record<string, string>> = { HOME: '/home/robot' };

/** The documents that are good, or bad. */
export function fixtures(verdict: 'good' | 'bad'): Fixture[] {
  return DOCUMENT_KINDS.flatMap((kind) => {
    const folder = join(FOLDER, verdict, kind);
    const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
    return names.map((name) => ({ kind, name, bytes: readFileSync(join(folder, name)) }));
  });
}

/** What `modreg check` prints of a bad document, by the name of its file. */
export function expectedOutput(kind: DocumentKind): ReadonlyMap<string, string> {
  const text = readFileSync(join(FOLDER, 'bad', kind, 'expected.txt'), 'utf8');
  const sections = text.split(/^== (.*)\n/m).slice(1);
  return new Map(
    sections.flatMap((name, at) => (at % 2 === 0 ? [[name, sections[at + 1] ?? ''] as const] : [])),
  );
}

export function checkFixture({ kind, name, bytes }: Fixture): CheckResult {
  const mode = name.startsWith('permissions--') ? 0o100644 : 0o100600;
  return checkDocument(bytes, kind, { environment: ENVIRONMENT, mode });
}

/** What `modreg check` prints of `source`, as a file called `name`. */
export function printed(checked: CheckResult, name: string): string {
  return formatChecked(checked, [{ path: name, report: checked }]).join('\n') + '\n';
}
