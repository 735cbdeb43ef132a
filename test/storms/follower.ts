import type { Finding } from './journal.ts';

/** A release list as the registry serves it. */
export interface ServedList {
  readonly generation: number;
  readonly count: number;
  readonly releases: readonly (Readonly<Record<string, unknown>> & {
    readonly version: string;
    readonly yanked: string | null;
  })[];
}

/** A client that only reads: what the feed and the lists of a registry said last. */
export interface Follower {
  sequence: number;
  history: string | undefined;
  /** The text of each list, by the name of its module. */
  readonly lists: Map<string, string>;
  readonly findings: Finding[];
}

export function newFollower(): Follower {
  return { sequence: 0, history: undefined, lists: new Map(), findings: [] };
}

/** Follows the feed until the server is killed. */
export async function follow(follower: Follower, address: string): Promise<void> {
  try {
    for (;;) await catchUp(follower, address, 30);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
}

/** Reads the lists of modules that changed since the last call. Waits `seconds` for a change. */
export async function catchUp(follower: Follower, address: string, seconds = 0): Promise<void> {
  const { sequence: before } = follower;
  const feed = await fetch(`${address}/v1/changes?after=${before}&wait=${seconds}`);
  // What was not read is read at the next call.
  if (feed.status >= 500) return;
  const changes = (await feed.json()) as { sequence: number; history: string; modules: string[] };
  const wrong = (found: string): unknown => follower.findings.push({ kind: 'wrong', text: found });
  if (changes.sequence < before) wrong(`the sequence went from ${before} to ${changes.sequence}`);
  if ((follower.history ??= changes.history) !== changes.history) wrong('the history changed');
  for (const moduleId of changes.modules) {
    const name = moduleId.replace('acme:', '');
    const list = await fetch(`${address}/v1/modules/acme/${name}`);
    if (list.status >= 500) return;
    if (list.status !== 200) wrong(`the list of ${name} has the status ${list.status}`);
    const text = await list.text();
    const earlier = follower.lists.get(name);
    if (earlier !== undefined && !isLater(parsed(text), parsed(earlier), text === earlier)) {
      wrong(`the list of ${name} went from ${earlier} to ${text}`);
    }
    follower.lists.set(name, text);
  }
  follower.sequence = changes.sequence;
}

export function parsed(text: string): ServedList {
  return JSON.parse(text) as ServedList;
}

/** Whether a list may follow the earlier one: no lower generation, and the same releases first, except for yanks. */
function isLater(list: ServedList, earlier: ServedList, isSame: boolean): boolean {
  if (list.generation <= earlier.generation) return isSame;
  const kept = list.releases.slice(0, earlier.releases.length);
  return withoutYanks(kept) === withoutYanks(earlier.releases);
}

function withoutYanks(releases: ServedList['releases']): string {
  return JSON.stringify(releases.map((release) => ({ ...release, yanked: undefined })));
}
