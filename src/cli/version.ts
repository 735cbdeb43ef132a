import { readFileSync } from 'node:fs';

/** The version of modreg. */
export function ownVersion(): string {
  // In `src/cli` as in `dist/cli`, package.json is two folders up.
  const file = new URL('../../package.json', import.meta.url);
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
  return version;
}

/** The day of the newest release in CHANGELOG, or of a later change: no clock of a machine that runs this program is before it. */
export const RELEASED_AT: number = Date.parse('2026-11-24T00:00:00Z');
