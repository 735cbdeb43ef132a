import type { Result } from '../core/index.ts';
import { formatTime } from '../core/text/rfc3339.ts';
import type { Problem } from '../base/problem.ts';
import type { World } from '../base/world.ts';
import type { FleetClient } from '../registry/fleet-client.ts';
import { siteLines, type LogLevel, type SiteLine, type SiteLines } from '../registry/site-logs.ts';
import { checkedAnswer } from './checked-answer.ts';
import { withFleet, type FleetOptions } from './fleet-options.ts';

/** Which lines are asked for. An absent field restricts nothing. */
export interface WantedLines {
  readonly machine: string | undefined;
  readonly module: string | undefined;
  /** The least severe. */
  readonly level: LogLevel | undefined;
  /** In milliseconds since the epoch. */
  readonly since: number | undefined;
  /** A part of their text, whose case does not matter. */
  readonly text: string | undefined;
  readonly count: number;
}

/** The newest lines, the newest last. */
export interface FoundLines {
  readonly lines: readonly SiteLine[];
  readonly dropped: SiteLines['dropped'];
}

const OF_PAGE = 1000;

/** What machines sent of their logs (D308). */
export async function logsOfFleet(
  wanted: WantedLines,
  options: FleetOptions,
  world: World,
): Promise<Result<FoundLines, Problem>> {
  const work = async (client: FleetClient): Promise<Result<FoundLines, Problem>> => {
    return { ok: true, value: await newestLines(client, wanted) };
  };
  return await withFleet(options, world, work, 'read logs of');
}

async function newestLines(client: FleetClient, wanted: WantedLines): Promise<FoundLines> {
  const lines: SiteLine[] = [];
  let [dropped, before]: [SiteLines['dropped'], number | null] = [null, Number.MAX_SAFE_INTEGER];
  const query = queryOf(wanted);
  while (before !== null && lines.length < wanted.count) {
    query.set('limit', `${Math.min(OF_PAGE, wanted.count - lines.length)}`);
    const page = checkedAnswer(await client.read(`/logs?${query.toString()}`), siteLines);
    lines.push(...page.lines);
    const { next } = page;
    // A page whose next is not before this one would repeat lines for ever.
    before = next !== null && next < before ? next : null;
    query.set('before', `${before}`);
    dropped = page.dropped;
  }
  return { lines: lines.toReversed(), dropped };
}

function queryOf({ machine, module, level, since, text }: WantedLines): URLSearchParams {
  const values = {
    machine,
    module,
    level,
    since: since === undefined ? undefined : formatTime(since),
    text,
  };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined) query.set(name, value);
  }
  return query;
}
