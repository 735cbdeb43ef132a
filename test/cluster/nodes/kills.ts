/* Random kills of nodes and fronts, while publishers publish and machines report. */
import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { machineReport } from '../../support/machine-report.ts';
import { openSite, type Site } from './site.ts';

/** What came of some kills. */
export interface KillsResult {
  readonly kills: number;
  /** Publications and outcomes of machines. */
  readonly acknowledged: number;
  /** Each acknowledged one that a front lacks. */
  readonly lost: readonly string[];
  /** Each one that a front has twice. */
  readonly duplicated: readonly string[];
  /** The longest time without an acknowledgement, in milliseconds. */
  readonly longestPauseMs: number;
  /** How many nodes stayed behind their leader after a kill, and were started again. */
  readonly restarted: number;
}

const MACHINES = 6;
const MODULES = 2;
const MOST_OUTCOMES = 3;
const AGAIN_AFTER_MS = 50;
const LONGEST_DOWN_MS = 1500;
const CONVERGE_MS = 100_000;

/** What clients were told. */
interface Journal {
  readonly published: Map<string, number>;
  readonly known: Map<string, number>;
  acknowledged: number;
  lastAt: number;
  longestPauseMs: number;
  restarted: number;
}

/** Kills a node or a front `count` times, and starts it again. One is down at a time. `random` returns a number from 0 to 1. */
export async function playKills(
  count: number,
  random: () => number,
  onKill: (played: number) => void = () => undefined,
): Promise<KillsResult> {
  const ids = Array.from({ length: MACHINES }, (_none, place) => `rover-${place}`);
  const tokens = new Map<string, string>();
  const site = await openSite(3, { machines: ids, tokens });
  const stopping = new AbortController();
  const now = performance.now();
  const journal: Journal = {
    published: new Map(),
    known: new Map(),
    acknowledged: 0,
    lastAt: now,
    longestPauseMs: 0,
    restarted: 0,
  };
  const { signal } = stopping;
  try {
    const clients = [
      ...Array.from({ length: MODULES }, async (_none, place) => {
        await publishAll(site, `m${place}`, { journal, random, signal });
      }),
      ...ids.map(async (id) => {
        await reportAll(site, { id, token: tokens.get(id) ?? '' }, { journal, random, signal });
      }),
    ];
    for (let played = 1; played <= count; played++) {
      journal.restarted += await killOne(site, random);
      onKill(played);
    }
    stopping.abort();
    await Promise.all(clients);
    await untilEqual(site);
    return judged(site, journal, count);
  } finally {
    stopping.abort();
    await site.close();
  }
}

/** Returns how many nodes were started again since they stayed behind. */
async function killOne({ cluster, fronts }: Site, random: () => number): Promise<number> {
  const all = [...cluster.nodes, ...fronts];
  const one = all[Math.trunc(random() * all.length)];
  if (!one) throw new Error('there is nothing to kill');
  await setTimeout(random() * LONGEST_DOWN_MS);
  await one.kill();
  await setTimeout(random() * LONGEST_DOWN_MS);
  await one.start();
  return await cluster.ready();
}

interface Work {
  readonly journal: Journal;
  readonly random: () => number;
  readonly signal: AbortSignal;
}

/** Posts to a random front. Undefined if the front does not answer, or cannot answer now. */
async function post(
  { fronts }: Site,
  { path, token, body }: { readonly path: string; readonly token: string; readonly body: object },
  random: () => number,
): Promise<{ readonly status: number; readonly json: unknown } | undefined> {
  const front = fronts[Math.trunc(random() * fronts.length)];
  try {
    const response = await fetch(`${front?.address}/v1/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(20_000),
    });
    const json: unknown = await response.json();
    return response.status < 500 ? { status: response.status, json } : undefined;
  } catch {
    return undefined;
  }
}

function acknowledge(journal: Journal, count: number): void {
  const now = performance.now();
  journal.acknowledged += count;
  journal.longestPauseMs = Math.max(journal.longestPauseMs, now - journal.lastAt);
  journal.lastAt = now;
}

/** The signal may abort during each wait, which the compiler does not know. */
function isOver(signal: AbortSignal): boolean {
  return signal.aborted;
}

async function publishAll(site: Site, name: string, work: Work): Promise<void> {
  const { journal, random, signal } = work;
  const path = `modules/acme/${name}/releases`;
  for (let patch = 0; !signal.aborted; patch++) {
    const body = { version: `1.0.${patch}` };
    // A publication without a response is repeated, until it is there.
    while (!(await post(site, { path, token: site.token, body }, random))) {
      if (isOver(signal)) return;
      await setTimeout(AGAIN_AFTER_MS);
    }
    journal.published.set(name, patch + 1);
    acknowledge(journal, 1);
  }
}

async function reportAll(
  site: Site,
  { id, token }: { readonly id: string; readonly token: string },
  { journal, random, signal }: Work,
): Promise<void> {
  const path = `machines/${id}/reports`;
  let after = 0;
  while (!signal.aborted) {
    const to = after + 1 + Math.trunc(random() * MOST_OUTCOMES);
    const numbers = Array.from({ length: to - after }, (_none, place) => after + 1 + place);
    const body = machineReport(numbers, { queue: `queue-of-${id}`, instance: `process-${id}` });
    let answer = await post(site, { path, token, body }, random);
    while (!answer && !isOver(signal)) {
      await setTimeout(AGAIN_AFTER_MS);
      answer = await post(site, { path, token, body }, random);
    }
    // A front that was just started refuses what it does not follow yet, and the machine sends the same again.
    const { known_to: knownTo } = Object(answer?.json);
    if (answer?.status !== 200 || typeof knownTo !== 'number') continue;
    acknowledge(journal, knownTo - after);
    after = knownTo;
    journal.known.set(id, after);
  }
}

async function untilEqual({ fronts }: Site): Promise<void> {
  const deadline = performance.now() + CONVERGE_MS;
  for (;;) {
    const states = new Set(fronts.map(({ db }) => JSON.stringify(stateOf(db))));
    if (states.size === 1 || performance.now() > deadline) return;
    await setTimeout(AGAIN_AFTER_MS);
  }
}

interface FrontState {
  readonly machines: readonly {
    readonly name: string;
    readonly known: number;
    readonly missing: number;
    readonly count: number;
  }[];
  readonly releases: readonly { readonly name: string; readonly version: string }[];
  readonly events: readonly { readonly text: string; readonly count: number }[];
}

function stateOf(db: string): FrontState {
  const fleet = db.replace(/\.db$/, '-fleet.db');
  return {
    machines: existsSync(fleet) ? rowsOf(fleet, MACHINE_ROWS) : [],
    releases: rowsOf(
      db,
      'SELECT name, version FROM releases JOIN modules ON modules.id = module ORDER BY name, version',
    ),
    events: rowsOf(
      db,
      `SELECT json_extract(body, '$.moduleId') || ' ' || json_extract(body, '$.release.version') AS text, count(*) AS count
        FROM events WHERE json_extract(body, '$.kind') = 'publish' GROUP BY text ORDER BY text`,
    ),
  } as unknown as FrontState;
}

const MACHINE_ROWS = `SELECT name, known_to AS known, missing,
  (SELECT count(*) FROM outcomes WHERE machine = machines.id) AS count FROM machines ORDER BY name`;

function rowsOf(path: string, sql: string): readonly object[] {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return database.prepare(sql).all();
  } finally {
    database.close();
  }
}

function judged(site: Site, journal: Journal, kills: number): KillsResult {
  const lost: string[] = [];
  const duplicated: string[] = [];
  for (const [place, { db }] of site.fronts.entries()) {
    const { machines, releases, events } = stateOf(db);
    const where = `front ${place + 1}`;
    const versions = new Set(releases.map(({ name, version }) => `${name} ${version}`));
    const published = [...journal.published].flatMap(([name, count]) =>
      Array.from({ length: count }, (_none, patch) => `${name} 1.0.${patch}`),
    );
    lost.push(...published.filter((one) => !versions.has(one)).map((one) => `${where}: ${one}`));
    for (const [id, known] of journal.known) {
      const found = machines.find(({ name }) => name === id);
      if (!found || found.known < known || found.missing > 0 || found.count < known) {
        lost.push(`${where}: outcomes of ${id} up to ${known}, found ${JSON.stringify(found)}`);
      }
      if (found && found.count > found.known) duplicated.push(`${where}: outcomes of ${id}`);
    }
    for (const { text, count } of events) if (count > 1) duplicated.push(`${where}: ${text}`);
  }
  const { acknowledged, longestPauseMs, restarted } = journal;
  return { kills, acknowledged, lost, duplicated, longestPauseMs, restarted };
}
