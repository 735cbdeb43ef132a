import type { ModuleId } from '../../core/index.ts';
import type { Clock } from '../../registry/clock.ts';
import type { Statements } from '../../sqlite/statements.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { FleetFile } from '../fleet/fleet-file.ts';
import {
  certificateConditions,
  rolloutConditions,
  trustConditions,
  yankConditions,
  yankKeys,
  type Condition,
} from './conditions.ts';
import {
  presenceChange,
  presenceNotices,
  presences,
  SILENT,
  type Presences,
} from './machine-notices.ts';
import type { Refusals } from '../fleet/refusals.ts';
import { attentionNotices } from './attention-notices.ts';
import type { Notice } from '../notice.ts';
import {
  addNoticed,
  noticed,
  noticedPlace,
  removeNoticed,
  setNoticedPlace,
  type NoticedPlace,
} from './notice-table.ts';

/** After a start, machines have so long to be heard before one is called silent. */
const HEARD_AGAIN_MS = 15 * 60_000;
/** What began before the first look is not told, except for what ends soon. */
const TOLD_AT_FIRST: ReadonlySet<Notice['event']> = new Set([
  'certificate-expires',
  'trust-expires',
]);

/** Where what is told is looked for. */
export interface Watched {
  readonly catalogue: Catalogue;
  readonly fleet: FleetFile;
  /** In seconds since the epoch; undefined without TLS. */
  readonly certificateExpiry: () => number | undefined;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
}

/** What was found in one look. */
interface Look {
  readonly isFirst: boolean;
  readonly place: NoticedPlace;
  readonly conditions: readonly Condition[];
  /** The modules that changed since the last look. */
  readonly changed: readonly ModuleId[];
  readonly refusals: Refusals;
  /** Undefined while machines may not have been heard yet. */
  readonly machines: Presences | undefined;
}

/**
 * Looks for what began since the last look, and calls `tell` with it in the transaction that notes it: after a restart, nothing is lost
 * and nothing told twice (D212). Rejects with a DatabaseError.
 */
export function noticeWatch(
  watched: Watched,
  tell: (sql: Statements, notices: readonly Notice[], at: number) => void,
): () => Promise<void> {
  const { fleet, clock } = watched;
  const began = clock.monotonic();
  return async () => {
    const now = clock.now();
    const isUp = clock.monotonic() - began >= HEARD_AGAIN_MS;
    const machines = isUp ? await fleet.readInSlices((sql) => presences(sql, now)) : undefined;
    const look = { ...(await lookAt(watched, now)), machines };
    fleet.write((sql) => tell(sql, noteLook(sql, look), now));
  };
}

async function lookAt(
  { catalogue, fleet, certificateExpiry }: Watched,
  now: number,
): Promise<Omit<Look, 'machines'>> {
  const known = fleet.read(noticedPlace);
  // The numbers of another history stand for other changes.
  const isFirst = known?.history !== catalogue.history();
  const { modules, ...place } = catalogue.changes(isFirst ? 0 : known.sequence);
  const conditions = [
    ...(await rolloutConditions(catalogue, fleet, now)),
    ...modules.flatMap((moduleId) => yankConditions(catalogue, moduleId)),
    ...certificateConditions(certificateExpiry(), now),
    ...trustConditions(catalogue, now),
  ];
  const refusals = catalogue.configs.refusals(now);
  return { isFirst, place, conditions, changed: modules, refusals };
}

/** Notes what is so now, and returns what began. */
function noteLook(sql: Statements, look: Look): Notice[] {
  const { isFirst, place, conditions, machines, refusals } = look;
  const known = noticed(sql);
  const began = conditions.filter(({ key }) => !known.has(key));
  for (const { key } of began) addNoticed(sql, key);
  for (const key of endedKeys(known, look)) removeNoticed(sql, key);
  setNoticedPlace(sql, place);
  const told: Notice[] = began.filter(({ event }) => !isFirst || TOLD_AT_FIRST.has(event));
  const attention = attentionNotices(sql, known, refusals);
  if (!isFirst) told.push(...attention);
  return [...told, ...(machines ? notePresence(sql, known, machines) : [])];
}

/** What was noted and is so no more. Modules that did not change have the yanks that they had. */
function endedKeys(known: ReadonlySet<string>, { conditions, changed }: Look): string[] {
  const now = new Set(conditions.map(({ key }) => key));
  const looked = ['rollout-', 'certificate-', 'trust-', ...changed.map(yankKeys)];
  return [...known].filter(
    (key) => !now.has(key) && looked.some((beginning) => key.startsWith(beginning)),
  );
}

function notePresence(sql: Statements, known: ReadonlySet<string>, machines: Presences): Notice[] {
  const change = presenceChange(known, machines);
  for (const name of change.silent) addNoticed(sql, SILENT + name);
  for (const name of [...change.back, ...change.retired]) removeNoticed(sql, SILENT + name);
  return presenceNotices(change, machines.silentMs);
}
