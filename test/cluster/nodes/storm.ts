/* Machines and publishers, while a node that leads and a front are killed. */
import { setTimeout } from 'node:timers/promises';
import type { Front } from './fronts.ts';
import { follow, type Machine } from './machine.ts';
import { ask, openSite, streamLeader, type Site } from './site.ts';

export interface StormOptions {
  readonly machines: number;
  readonly publications: number;
  readonly modules: number;
  /** Over how many milliseconds machines spread what they ask for after a change. */
  readonly spreadMs: number;
}

/** What came of a storm. */
export interface StormResult {
  /** Of machine and module: all, and those in which the machine has another list than the fronts. */
  readonly pairs: number;
  readonly wrong: number;
  /** Whatever a machine must never see, and publications that were lost or made twice. */
  readonly findings: readonly string[];
  readonly publishedInMs: number;
  /** The longest time between two publications that were acknowledged. */
  readonly longestPauseMs: number;
  /** From the last acknowledgement until no pair was wrong. */
  readonly convergedInMs: number;
}

/** Publishers that run at once. */
const PUBLISHERS = 4;
const AGAIN_AFTER_MS = 100;
const CONVERGE_MS = 120_000;
const POLL_MS = 100;

/** Plays a storm over three fronts. The node that leads dies after a third of the publications, a front after two thirds. */
export async function playStorm(options: StormOptions): Promise<StormResult> {
  const site = await openSite(3, { args: ['--spread', `${options.spreadMs}`] });
  const machines: Machine[] = [];
  try {
    const ids = Array.from({ length: options.modules }, (_none, place) => `acme:m${place}`);
    const addresses = site.fronts.map(({ address }) => address);
    await publishAll(site, ids, { publications: ids.length, onEach: async () => {} });
    for (let place = 0; place < options.machines; place++) {
      machines.push(follow(addresses, ids, place));
    }
    const late = await converged(machines, ids, site.fronts[0] as Front);
    if (late > 0) throw new Error(`${late} pairs are wrong before the storm`);
    const published = await publishAll(site, ids, {
      publications: options.publications,
      from: 1,
      onEach: async (count) => {
        if (count === Math.floor(options.publications / 3)) {
          await (await streamLeader(site.cluster, 'RELEASES'))?.kill();
        }
        if (count === Math.floor((2 * options.publications) / 3)) await site.fronts[2]?.kill();
      },
    });
    const began = performance.now();
    const [first, second] = site.fronts as [Front, Front];
    const wrong = await converged(machines, ids, first);
    const convergedInMs = performance.now() - began;
    return {
      pairs: machines.length * ids.length,
      wrong,
      findings: [
        ...machines.flatMap(({ findings }) => findings),
        ...(await lostOf([first, second], published.versions)),
      ],
      publishedInMs: published.ms,
      longestPauseMs: published.longestPauseMs,
      convergedInMs,
    };
  } finally {
    await Promise.all(machines.map(async (machine) => await machine.stop()));
    await site.close();
  }
}

interface Published {
  /** The versions of each module, in the order in which they were acknowledged. */
  readonly versions: ReadonlyMap<string, readonly string[]>;
  readonly ms: number;
  readonly longestPauseMs: number;
}

async function publishAll(
  site: Site,
  ids: readonly string[],
  {
    publications,
    from = 0,
    onEach,
  }: {
    readonly publications: number;
    readonly from?: number;
    readonly onEach: (count: number) => Promise<void>;
  },
): Promise<Published> {
  const versions = new Map(ids.map((id): [string, string[]] => [id, []]));
  const began = performance.now();
  let count = 0;
  let last = began;
  let longestPauseMs = 0;
  const publisher = async (own: number): Promise<void> => {
    for (let place = own; place < publications; place += PUBLISHERS) {
      const id = ids[place % ids.length] ?? '';
      const version = `1.${from}.${place}`;
      await publishUntilDone(site, id, version, own);
      versions.get(id)?.push(version);
      longestPauseMs = Math.max(longestPauseMs, performance.now() - last);
      last = performance.now();
      await onEach(++count);
    }
  };
  await Promise.all(Array.from({ length: PUBLISHERS }, async (_none, own) => await publisher(own)));
  return { versions, ms: performance.now() - began, longestPauseMs };
}

/** Publishes through one front after the other until one has published it, or says that it was published. */
async function publishUntilDone(
  { fronts, token }: Site,
  id: string,
  version: string,
  first: number,
): Promise<void> {
  const path = `/v1/modules/${id.replace(':', '/')}/releases`;
  const body = { version };
  for (let attempt = first; ; attempt++) {
    const front = fronts[attempt % fronts.length] as Front;
    const answer = await ask(front, path, { method: 'POST', token, body }).catch(() => undefined);
    if (answer && answer.status < 300) return;
    if (answer && answer.status < 500) throw new Error(`${id} ${version}: ${answer.text}`);
    await setTimeout(AGAIN_AFTER_MS);
  }
}

/** Waits until each machine has the lists of the front, and returns how many are wrong in the end. */
async function converged(
  machines: readonly Machine[],
  ids: readonly string[],
  front: Front,
): Promise<number> {
  const ends = performance.now() + CONVERGE_MS;
  for (;;) {
    const lists = await listsOf(front, ids);
    const isWrong = (machine: Machine, id: string): boolean =>
      machine.lists.get(id)?.text !== lists.get(id);
    let wrong = 0;
    for (const one of machines) wrong += ids.filter((id) => isWrong(one, id)).length;
    if (wrong === 0 || performance.now() > ends) return wrong;
    await setTimeout(POLL_MS);
  }
}

async function listsOf(front: Front, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const lists = new Map<string, string>();
  for (const id of ids) {
    // A connection that the front closed while it was idle.
    const answer = await ask(front, `/v1/modules/${id.replace(':', '/')}`).catch(() => undefined);
    if (answer) lists.set(id, answer.text);
  }
  return lists;
}

/** Versions that were acknowledged and that a front lacks, or has twice, and fronts that disagree. */
async function lostOf(
  fronts: readonly Front[],
  versions: Published['versions'],
): Promise<string[]> {
  const found: string[] = [];
  const texts = await Promise.all(
    fronts.map(async (front) => await listsOf(front, [...versions.keys()])),
  );
  for (const [id, expected] of versions) {
    const [text = '{}', ...others] = texts.map((lists) => lists.get(id));
    if (others.some((other) => other !== text)) found.push(`${id}: two fronts disagree`);
    const { releases, generation } = JSON.parse(text) as {
      releases: { version: string }[];
      generation: number;
    };
    const listed = releases.map(({ version }) => version).filter((one) => one.startsWith('1.1.'));
    if (listed.toSorted().join() !== expected.toSorted().join()) {
      found.push(`${id}: ${listed.length} listed, ${expected.length} acknowledged`);
    }
    if (generation !== releases.length) {
      found.push(`${id}: generation ${generation} of ${releases.length} releases`);
    }
  }
  return found;
}
