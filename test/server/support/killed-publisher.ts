import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Catalogue } from '../../../src/server/index.ts';
import { moduleId } from '../../support/ask.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { ROOT } from '../../support/modreg.ts';

/** What killed processes published, and what a process that opens the catalogue then finds. */
interface Found {
  /** The number of publications that were acknowledged. */
  readonly acknowledged: number;
  /** The acknowledged versions that the list lacks. */
  readonly lost: readonly string[];
  /** The numbers that the list says, and that of its releases. */
  readonly count: number;
  readonly generation: number;
  readonly releases: number;
}

/** Lets processes publish to one catalogue, one after the other, and kills each so many milliseconds after its first publication. */
export async function publishedUntilKilled(kills: readonly number[]): Promise<Found> {
  const path = join(temporaryFolder(), 'registry.db');
  new Catalogue(path, { mode: 'create' }).close();
  const acknowledged: string[] = [];
  for (const ms of kills) acknowledged.push(...(await killedAfter(path, ms)));
  const after = new Catalogue(path);
  const bytes = after.document(moduleId('acme:lidar'))?.bytes ?? [];
  after.close();
  const { count, generation, releases } = JSON.parse(Buffer.from(bytes).toString()) as {
    count: number;
    generation: number;
    releases: { version: string }[];
  };
  const published = new Set(releases.map(({ version }) => version));
  const lost = acknowledged.filter((version) => !published.has(version));
  const numbers = { count, generation, releases: releases.length };
  return { acknowledged: acknowledged.length, lost, ...numbers };
}

/** Publishes in a separate process until it is killed; resolves with the versions that it acknowledged. */
async function killedAfter(path: string, ms: number): Promise<string[]> {
  const script = join(ROOT, 'test/support/publish-forever.ts');
  const child = spawn(process.execPath, [script, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  let acknowledged = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    // The time starts with the first publication, because starting a process takes varying time.
    if (acknowledged === '') setTimeout(() => child.kill('SIGKILL'), ms);
    acknowledged += text;
  });
  await once(child, 'close');
  // The last line may be incomplete.
  return acknowledged.split('\n').slice(0, -1);
}
