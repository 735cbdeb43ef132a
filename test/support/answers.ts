import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './modreg.ts';

const FOLDER = join(ROOT, 'test/fixtures/json-answers');

/** The answers of a fixture. `UPDATE_ANSWERS=1` writes `text` to it first. */
export function knownAnswers(name: string, text: string): string {
  const path = join(FOLDER, name);
  if (process.env['UPDATE_ANSWERS'] === '1') writeFileSync(path, text);
  return readFileSync(path, 'utf8');
}
