/* What is on disk: <home>/<module>/<version>/run is the program of a release, <home>/<module>/deployed is a version. */
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { CommittedAction } from 'modreg/store';

/** A version may be an address, if the configuration pins one. */
export function folderOf(home: string, name: string, version: string): string {
  return join(home, name, encodeURIComponent(version));
}

/** Downloads a release, unless it is complete. It is named `run` only after its digest was compared. */
export async function download(
  { target, to, artifact }: CommittedAction,
  home: string,
  signal: AbortSignal,
): Promise<void> {
  const path = join(folderOf(home, target.name, to), 'run');
  if (fs.existsSync(path)) return;
  const [algorithm = '', digest = ''] = artifact?.digest?.split(':') ?? [];
  if (artifact?.url === undefined || digest === '')
    throw new Error(`${to} has no file with a digest`);
  const { body, status } = await fetch(artifact.url, { signal });
  if (!body || status !== 200) throw new Error(`found HTTP status ${status}, expected 200`);
  fs.mkdirSync(dirname(path), { recursive: true });
  const part = `${path}.part`;
  await pipeline(body, fs.createWriteStream(part, { mode: 0o755, flush: true }), { signal });
  const hash = createHash(algorithm);
  await pipeline(fs.createReadStream(part), hash);
  const found = hash.digest('hex');
  if (found !== digest) throw new Error(`found the ${algorithm} ${found}, expected ${digest}`);
  fs.renameSync(part, path);
  console.log(`${target.name}: downloaded ${to}`);
}

/** The version that passed its trial last; null if there is none. */
export function deployedVersion(home: string, name: string): string | null {
  const path = join(home, name, 'deployed');
  return fs.existsSync(path) ? fs.readFileSync(path, 'utf8') : null;
}

/** The version is on disk when this returns, so that a power cut after the acknowledgement does not lose it. */
export function setDeployed(home: string, name: string, version: string): void {
  const path = join(home, name, 'deployed');
  fs.writeFileSync(`${path}.new`, version, { flush: true });
  fs.renameSync(`${path}.new`, path);
  const folder = fs.openSync(dirname(path), 'r');
  fs.fsyncSync(folder);
  fs.closeSync(folder);
  console.log(`${name}: deployed ${version}`);
}
