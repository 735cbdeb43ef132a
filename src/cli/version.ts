import { readFileSync } from 'node:fs';
import { packageFile } from './package-file.ts';

/** The version of modreg. */
export function ownVersion(): string {
  const file = readFileSync(packageFile('package.json'), 'utf8');
  const { version } = JSON.parse(file) as { version: string };
  return version;
}

/** The day of the newest release in CHANGELOG, or of a later change: no clock of a machine that runs this program is before it. */
export const RELEASED_AT: number = Date.parse('2026-11-24T00:00:00Z');
