import { readFileSync } from 'node:fs';

/** The version of modreg. */
export function ownVersion(): string {
  // In `src/cli` as in `dist/cli`, package.json is two folders up.
  const file = new URL('../../package.json', import.meta.url);
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
  return version;
}
