import type { Eligibility } from '../../src/core/index.ts';
import type { PollableRegistry } from '../../src/registry/pollable-registry.ts';
import type { CachedRegistry, Clock, ListResult } from '../../src/registries/index.ts';
import { believed, noteRight } from './first-sight.ts';
import { beginRound, confirmation, heardFrom, isSent } from './hearing.ts';
import type { AcceptedList, ListInForce } from './ledger.ts';
import type { WireList } from './published.ts';
import { noteRound } from './pace.ts';
import type { SimulatedRegistry } from './simulated-registry.ts';
import { trusted } from './trust.ts';
import { READ_FROM, sentBy, settleNow } from './watched-lists.ts';
import type { World } from './world.ts';

interface ProcessContext {
  readonly clock: Clock;
  readonly isAlive: () => boolean;
}

/** Wraps `cached` so that the judge sees each round and its result. */
export function watchedRegistry(
  registry: SimulatedRegistry,
  cached: CachedRegistry,
  world: World,
  { clock, isAlive }: ProcessContext,
): PollableRegistry {
  const { ledger, conditions, complain } = world;
  const { address } = registry;
  let open = 0;
  return {
    ...cached,
    clockFault: () => {
      const fault = cached.clockFault?.();
      judgeFault(world, fault);
      ledger.clocks.set(address, fault);
      return fault;
    },
    async readAll(moduleIds, signal) {
      const onAbort = (): void => {
        open--;
      };
      if (open > 0) complain('I6', `${address} is polled twice at once`);
      open++;
      signal?.addEventListener('abort', onAbort, { once: true });
      try {
        ledger.hasPolledSince ||= ledger.hasPlanned;
        noteRound(world, address, moduleIds);
        beginRound(ledger, address);
        const changes = registry.changeCount();
        ledger.polls.set(address, { requests: 0, retries: 0, failures: new Map() });
        const readings = await cached.readAll(moduleIds, signal);
        for (const moduleId of readings.keys()) settleNow(world, `${address} ${moduleId}`);
        // The poller may have given up by then.
        if (conditions.lateMs > 0) await clock.sleep(conditions.lateMs);
        if (isAlive() && signal?.aborted !== true)
          recordLists({ registry, changes }, readings, world);
        return readings;
      } finally {
        signal?.removeEventListener('abort', onAbort);
        if (signal?.aborted !== true) open--;
      }
    },
  };
}

/** Without a right clock, only a time is certain at which it was right. (D57) */
function judgeFault(
  { ledger, line, conditions, complain }: World,
  fault: Eligibility['clock'],
): void {
  if (conditions.isClockRight) noteRight(ledger, line.wall());
  if (conditions.isClockRight !== (fault === undefined)) {
    complain('D57', `the clock is ${conditions.isClockRight ? 'right' : 'wrong'}: ${fault?.kind}`);
  }
  const certainAt = fault && fault.kind !== 'wrong' ? fault.certainAt : undefined;
  if (certainAt !== undefined && certainAt > (ledger.rightAt ?? -Infinity)) {
    complain('D57', `${certainAt} is certain, and the clock was right at ${ledger.rightAt}`);
  }
}

/** A round of a registry, which had changed so many times when it began. */
interface Round {
  readonly registry: SimulatedRegistry;
  readonly changes: number;
}

function recordLists(round: Round, readings: ReadonlyMap<string, ListResult>, world: World): void {
  const { ledger, line } = world;
  const { address } = round.registry;
  let isGood = true;
  for (const [moduleId, reading] of readings) {
    const key = `${address} ${moduleId}`;
    const now = listInForce(round, moduleId, reading, world);
    isGood &&= now ? !now.isStale : isUnknown(reading);
    ledger.returned.delete(key);
    ledger.lists.set(key, { at: line.elapsed(), now, before: ledger.lists.get(key)?.now });
  }
  if (isGood) ledger.goodPolls.set(address, (ledger.goodPolls.get(address) ?? 0) + 1);
}

/** Whether the registry answered that it does not have the module. */
function isUnknown(reading: ListResult): boolean {
  return !reading.ok && reading.error.kind === 'unknown-module';
}

function listInForce(
  round: Round,
  moduleId: string,
  reading: ListResult,
  world: World,
): ListInForce | undefined {
  const { ledger, complain } = world;
  const { address } = round.registry;
  if (!reading.ok) {
    judgeRefusal(world, address, moduleId, reading.error.kind);
    return undefined;
  }
  const { records, stale, fetchedAt = 0 } = reading.value;
  const digest = READ_FROM.get(records);
  const list = digest === undefined ? undefined : sentBy(world, address, digest);
  if (digest === undefined || list?.module_id !== moduleId) {
    complain('I11', `a list of ${address} was never sent by it`);
    return undefined;
  }
  const key = `${address} ${moduleId}`;
  const confirmedFrom = confirmation(ledger, address, moduleId, digest);
  const heardAt = heardFrom(ledger, address).at.get(fetchedAt);
  if (heardAt === undefined)
    complain('D21', `${address} did not confirm ${moduleId} at ${fetchedAt}`);
  if (stale === undefined) {
    const isConfirmed = heardAt !== undefined && heardAt >= (confirmedFrom ?? Infinity);
    if (!isConfirmed)
      complain('D21', `${key} is used as current, and was not confirmed at ${fetchedAt}`);
    if (round.registry.isOutdated(moduleId, list, round.changes)) {
      complain('D21', `${key} is used as current, and was replaced before the round`);
    }
  } else if (isSent(ledger, address, moduleId, digest)) {
    complain('D21', `${key} is used as saved, and the registry sent it: ${stale.kind}`);
  }
  // What the feed says confirms no list if a later request of the round fails.
  const isStale = stale !== undefined;
  ledger.confirmedAt.set(key, fetchedAt);
  const releases = believed(ledger, key, trusted(ledger, address, list));
  return { list, trusted: releases, confirmedAt: fetchedAt, isStale };
}

/** Errors about the list that was sent. With any other, a second request for it may have failed. */
const REFUSALS: ReadonlySet<string> = new Set(['registry-regressed', 'registry-implausible']);

/** A list that the registry sent is used, unless it contradicts the one before. */
function judgeRefusal(world: World, address: string, moduleId: string, kind: string): void {
  const { ledger, complain } = world;
  if (!REFUSALS.has(kind)) return;
  const key = `${address} ${moduleId}`;
  const accepted = ledger.accepted.get(key);
  const response = heardFrom(ledger, address)
    .lists.get(moduleId)
    ?.findLast(({ isOwn }) => isOwn);
  if (!response) return;
  const { digest } = response;
  const list = digest === undefined ? accepted?.list : sentBy(world, address, digest);
  if (list && isAcceptable(list, accepted)) {
    complain('D22', `${key} of generation ${list.generation} was sent, and is refused: ${kind}`);
  }
}

/** Whether a list is complete, and a plausible successor of the one that was accepted last. */
function isAcceptable(list: WireList, accepted: AcceptedList | undefined): boolean {
  if (list.count !== list.releases.length) return false;
  if (!accepted) return list.generation <= 2 ** 52;
  if (accepted.list === list) return true;
  const step = list.generation - accepted.list.generation;
  return step > 0 && step <= 1_000_000;
}
