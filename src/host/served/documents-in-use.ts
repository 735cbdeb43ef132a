import { resolve } from 'node:path';
import { platformHome } from '../../config/platform-home.ts';
import type { Result } from '../../core/index.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import type { Problem } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import { usedDocuments } from '../machine-path.ts';
import { readPlanDocuments, type DocumentTerms, type PlanDocuments } from '../plan-documents.ts';
import { effectiveDocuments } from './effective.ts';
import { keptState, type ServedState } from './served-state.ts';

type Here = Pick<World, 'environment'>;

/** What the machine follows whose agent or poller uses the machine config at `path`; undefined if it follows no site, or uses another file. */
export function followedAt(path: string, { environment }: Here): ServedState | undefined {
  const home = platformHome(environment);
  const used = usedDocuments(home)?.machine;
  const isUsed = used !== undefined && resolve(used) === resolve(path);
  const state = home !== undefined && isUsed ? keptState(home) : undefined;
  return state?.current || state?.refused ? state : undefined;
}

/** The documents at `path`, with those that its machine follows (D326). */
export function documentsInUse(
  path: string,
  options: DocumentTerms,
  world: Here,
): Result<PlanDocuments, Problem[]> {
  const own = readPlanDocuments(path, options);
  return own.ok ? effectiveDocuments(own.value, followedAt(path, world)?.current) : own;
}

/** What a machine follows, as JSON. */
export function followedAsJson(state: ServedState): object {
  const { site, current, since, provisional, refused } = state;
  return {
    address: site,
    revision: current?.revision ?? null,
    since: since === undefined ? null : formatTime(since),
    provisional: provisional !== undefined,
    refused: refused
      ? { revision: refused.revision, code: refused.code, detail: refused.detail }
      : null,
  };
}
