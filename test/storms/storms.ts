import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scheduler } from 'node:timers/promises';
import { Catalogue } from '../../src/server/index.ts';
import { randomFrom } from '../support/mutate.ts';
import { tokenFor } from '../support/token.ts';
import { runClient } from './client.ts';
import { follow, newFollower, type Follower } from './follower.ts';
import { newJournal, NO_COUNTS, type Counts, type Finding, type Journal } from './journal.ts';
import { judge } from './judge.ts';
import { damageOf, kill, killStarting, startServer } from './server.ts';

const CLIENTS = 4;
const MODULES = ['lidar', 'arm', 'base'];
/** A new registry from time to time: each storm reads all of it. */
const STORMS_PER_REGISTRY = 20;
const LONGEST_STORM_MS = 400;
/** How many storms are followed by a kill of the next server while it starts, and within which time. */
const KILLED_STARTS = 0.2;
const LONGEST_START_MS = 500;

export interface Storms {
  /** How many registries were killed while clients changed them. */
  readonly storms: number;
  readonly counts: Counts;
  /** What is wrong after the last storm. */
  readonly findings: readonly Finding[];
  /** The folder of the last registry, which is kept if there are findings. */
  readonly folder: string | undefined;
}

/** A registry, and what its clients know. */
export interface Site {
  readonly path: string;
  readonly token: string;
  readonly journal: Journal;
  readonly follower: Follower;
  readonly counts: Counts;
}

/**
 * Kills `count` registries at random moments while clients change them, and compares each with what its clients know after
 * it was started again (T84). Ends at the first finding.
 */
export async function playStorms(
  count: number,
  seed: number,
  progress: (storms: number, counts: Counts) => void = () => undefined,
): Promise<Storms> {
  const random = randomFrom(seed);
  const counts = { ...NO_COUNTS };
  for (let storm = 0; storm < count;) {
    const folder = mkdtempSync(join(tmpdir(), 'modreg-storm-'));
    const site = newSite(`${folder}/registry.db`, counts);
    const last = Math.min(count, storm + STORMS_PER_REGISTRY);
    for (; storm < last; storm++) {
      const findings = await playStorm(site, storm, random);
      if (findings.length > 0) return { storms: storm + 1, counts, findings, folder };
      progress(storm + 1, counts);
    }
    rmSync(folder, { recursive: true });
  }
  return { storms: count, counts, findings: [], folder: undefined };
}

/** Creates an empty registry at `path`. */
export function newSite(path: string, counts: Counts): Site {
  const catalogue = new Catalogue(path, { mode: 'create' });
  const token = tokenFor(catalogue);
  catalogue.close();
  return { path, token, journal: newJournal(MODULES), follower: newFollower(), counts };
}

/** What is wrong after a storm. */
async function playStorm(
  site: Site,
  storm: number,
  random: () => number,
): Promise<readonly Finding[]> {
  const { path, follower } = site;
  const { child, address } = await startServer(path);
  const clients = Array.from({ length: CLIENTS }, async (_, place) => {
    const own = randomFrom(Math.floor(random() * 2 ** 31));
    await runClient({ ...site, address }, { id: place + 1, storm, random: own });
  });
  const killed = scheduler.wait(random() * LONGEST_STORM_MS).then(async () => await kill(child));
  await Promise.all([...clients, follow(follower, address), killed]);
  if (random() < KILLED_STARTS) await killStarting(path, random() * LONGEST_START_MS);
  return await restart(site);
}

/** Starts the registry again: what is wrong then, and after its clients repeated what got no response. */
export async function restart(site: Site): Promise<readonly Finding[]> {
  const { path, journal } = site;
  const next = await startServer(path);
  try {
    const registry = { ...site, address: next.address };
    const findings = await judge(registry);
    for (const repeat of journal.unanswered.splice(0)) await repeat(next.address);
    if (journal.unanswered.length > 0) {
      findings.push({ kind: 'wrong', text: 'a repeated request got no response' });
    }
    findings.push(...(await judge(registry)));
    const damage = damageOf(path);
    return damage === undefined ? findings : [...findings, { kind: 'wrong', text: damage }];
  } finally {
    await kill(next.child);
  }
}
