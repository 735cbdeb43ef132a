import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { ROOT } from './modreg.ts';

const FOLDER = join(ROOT, 'test/fixtures/json-answers');

/** Compares answers with those of a fixture. `UPDATE_ANSWERS=1` writes them instead. */
export function expectAnswers(text: string, name: string): void {
  const path = join(FOLDER, name);
  if (process.env['UPDATE_ANSWERS'] === '1') writeFileSync(path, text);
  expect(text).toBe(readFileSync(path, 'utf8'));
}
