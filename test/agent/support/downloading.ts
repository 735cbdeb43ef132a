import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { fetchArtifact, type FetchOptions } from '../../../src/agent/index.ts';
import type { Artifact } from '../../../src/core/index.ts';
import { testClock } from '../../support/clock.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { fileServer, type FileAnswer } from '../../../mocks/file-server.ts';

export const FILE: Buffer = Buffer.from('the file of a release, '.repeat(20_000));
export const PAGE: Buffer = Buffer.from(
  `<!DOCTYPE html>${'<p>Please log in</p>'.repeat(30_000)}`,
).subarray(0, FILE.length);

/** Another file of the same size. */
export function other(place: number): Buffer {
  const file = Buffer.from(FILE);
  file[place] = 0;
  return file;
}

/** What a download results in: the failure in short, or `done`; and what is on the disk. */
export async function outcomeOf(
  artifact: Artifact,
  options: FetchOptions = {},
  there: Readonly<Record<string, Buffer>> = {},
): Promise<readonly [outcome: string, path: string]> {
  const path = `${temporaryFolder(there)}/lidar`;
  const fetched = await fetchArtifact(artifact, path, { clock: testClock(), ...options });
  if (!fetched.ok) {
    const { blame, kind, reason } = fetched.error;
    if (existsSync(path)) throw new Error('a file that is not complete has its name');
    return [`${blame}, ${kind}: ${reason}`, path];
  }
  if (existsSync(`${path}.part`)) throw new Error('a part of a complete file is left');
  return ['done', path];
}

/** The outcome of a download from a server that answers like this first, without its address, and the ranges it was asked for. */
export async function played(
  answers: readonly FileAnswer[],
  { options, part, changed }: Played = {},
): Promise<readonly [outcome: string, ranges: readonly string[]]> {
  const server = await fileServer(FILE, answers);
  const artifact = { ...server.artifact, ...changed };
  const there = part ? { 'lidar.part': part } : {};
  const [outcome] = await outcomeOf(artifact, options, there);
  return [outcome.replaceAll(`${server.address}/lidar.tgz`, '@'), server.ranges];
}

export interface Played {
  readonly options?: FetchOptions;
  /** What an earlier download has left. */
  readonly part?: Buffer;
  readonly changed?: Partial<Artifact>;
}

export const HEX: string = createHash('sha256').update(FILE).digest('hex');
export const PORTAL = 'does this network need a login?';
