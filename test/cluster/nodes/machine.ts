/* A machine that follows a feed and reads lists through any of the fronts, as a poller does. */
import { Agent, get } from 'node:http';
import { setTimeout } from 'node:timers/promises';

/** What a machine knows of a module. */
interface Known {
  readonly generation: number;
  readonly text: string;
}

/** A machine that follows the feed of a cluster. */
export interface Machine {
  /** The list of each module, by its id, as it was read last. */
  readonly lists: ReadonlyMap<string, Known>;
  /** What a machine must never see. */
  readonly findings: readonly string[];
  readonly stop: () => Promise<void>;
}

interface Feed {
  readonly history: string;
  readonly sequence: number;
  readonly modules: readonly string[];
  readonly spread_ms: number;
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

const WAIT_S = 25;
const AGAIN_AFTER_MS = 1000;
const REQUEST_MS = 30_000;

/** Follows the modules through `fronts`, of which it asks another one when one fails. `place` says which is first. */
export function follow(
  fronts: readonly string[],
  modules: readonly string[],
  place: number,
): Machine {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const stopping = new AbortController();
  const lists = new Map<string, Known>();
  const findings: string[] = [];
  const changed = new Set<string>();
  let front = place;
  let sequence = 0;
  let history = '';
  const ask = async (path: string, headers: Record<string, string>): Promise<Answer> => {
    const url = `${fronts[front % fronts.length]}${path}`;
    return await answerOf(url, { agent, headers, signal: stopping.signal, timeout: REQUEST_MS });
  };
  const sleep = async (ms: number): Promise<void> =>
    await setTimeout(ms, undefined, { signal: stopping.signal }).catch(() => undefined);
  const readList = async (id: string): Promise<boolean> => {
    const headers = { 'modreg-at-least': `${sequence}`, 'modreg-history': history };
    const { status, text } = await ask(`/v1/modules/${id.replace(':', '/')}`, headers);
    if (status >= 500) return false;
    if (status !== 200) findings.push(`${id}: status ${status}`);
    const { generation } = JSON.parse(text) as { generation: number };
    const known = lists.get(id);
    if (known && generation < known.generation) {
      findings.push(`${id}: generation ${generation} after ${known.generation}`);
    }
    if (known?.generation === generation && known.text !== text) {
      findings.push(`${id}: two texts of generation ${generation}`);
    }
    lists.set(id, { generation, text });
    return true;
  };
  const turn = async (): Promise<boolean> => {
    const wait = changed.size > 0 ? 0 : WAIT_S;
    const query = `after=${sequence}&wait=${wait}&modules=${modules.join(',')}`;
    const { status, text } = await ask(`/v1/changes?${query}`, {});
    if (status !== 200) return false;
    const feed = JSON.parse(text) as Feed;
    if (history !== '' && feed.history !== history) findings.push('another history');
    history = feed.history;
    // A front that lags: the machine keeps its position.
    sequence = Math.max(sequence, feed.sequence);
    for (const id of feed.modules) changed.add(id);
    const isFirst = lists.size === 0;
    if (changed.size > 0 && !isFirst) await sleep(Math.random() * feed.spread_ms);
    for (const id of changed) {
      if (!(await readList(id))) return false;
      changed.delete(id);
    }
    return true;
  };
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const isFine = await turn().catch(() => false);
      if (isFine) continue;
      front++;
      // At random, as pollers do, so that machines of a front that failed do not come at once.
      await sleep(Math.random() * AGAIN_AFTER_MS);
    }
  };
  const ended = run();
  return {
    lists,
    findings,
    async stop() {
      stopping.abort();
      agent.destroy();
      await ended;
    },
  };
}

async function answerOf(url: string, options: Parameters<typeof get>[1]): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const request = get(url, options, (response) => {
    const parts: Buffer[] = [];
    response.on('data', (part: Buffer) => parts.push(part));
    response.on('error', reject);
    response.on('end', () => {
      resolve({ status: response.statusCode ?? 0, text: Buffer.concat(parts).toString() });
    });
  });
  request.on('error', reject);
  request.on('timeout', () => request.destroy(new Error('no answer in time')));
  return await promise;
}
