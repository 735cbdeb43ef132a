import type { ModuleId } from '../core/index.ts';
import { nameOf, namespaceOf } from '../core/releases/module-id.ts';
import { parseTime } from '../core/text/rfc3339.ts';
import { isJsonObject } from './formats/json-object.ts';
import { parseJson } from './formats/json-text.ts';
import type { Connection } from './http/connection.ts';
import { MOST_LIST_TOKENS } from './http/limits.ts';
import { retryBudget } from './retry-budget.ts';

/** What a registry says of a module: its time, and when its releases were published. */
export interface PublishTimes {
  readonly now: number;
  /** By version; undefined if it is not published. */
  readonly of: (version: string) => number | undefined;
  /** The entries of its list, which were not checked. */
  readonly releases: readonly unknown[];
}

/**
 * What a registry says of a module: its own time, which a signed release needs (D132), and when its releases were published. A
 * registry that does not say what time it is has that of this machine.
 */
export async function timesOf(
  to: Connection,
  base: URL,
  moduleId: ModuleId,
): Promise<PublishTimes> {
  const address = new URL(`v1/modules/${namespaceOf(moduleId)}/${nameOf(moduleId)}`, base);
  const request = {
    accept: 'application/json',
    largest: to.limits.largestList,
    mostTokens: MOST_LIST_TOKENS,
  };
  return await to.redacting(async () => {
    const reply = await to.get(address, request, { budget: retryBudget() });
    const date = Date.parse(reply.headers.get('date') ?? '');
    const releases = reply.status === 200 ? entriesIn(parseJson(reply.body.text)) : [];
    return timesIn(releases, Number.isNaN(date) ? to.clock.now() : date);
  });
}

function entriesIn(json: unknown): readonly unknown[] {
  const releases: unknown = isJsonObject(json) ? json['releases'] : [];
  return Array.isArray(releases) ? releases : [];
}

/** What the entries of a list say at a time. */
export function timesIn(releases: readonly unknown[], now: number): PublishTimes {
  const entries = releases.flatMap((one: unknown) => {
    if (!isJsonObject(one) || typeof one['version'] !== 'string') return [];
    const time = parseTime(one['published_at']);
    return time.ok ? [[one['version'], time.value] as const] : [];
  });
  const times = new Map(entries);
  return { now, of: (version) => times.get(version), releases };
}

/** The entries in the document of a module, as a registry stores it. */
export function releasesIn(bytes: Uint8Array | undefined): readonly unknown[] {
  return bytes ? entriesIn(JSON.parse(Buffer.from(bytes).toString())) : [];
}
