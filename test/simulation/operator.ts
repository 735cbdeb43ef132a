import semver from 'semver';
import { parseVersion, type ModuleId, type Version } from '../../src/core/index.ts';
import type { KnownTime } from '../../src/registry/certain-clock.ts';
import { acceptList } from '../../src/registry/acceptance.ts';
import { connect } from '../../src/registry/http/connection.ts';
import { DEFAULT_LIMITS } from '../../src/registry/http/limits.ts';
import { modregRegistry } from '../../src/registry/http/modreg-registry.ts';
import { machineStateIn } from '../../src/store/machine-state.ts';
import { savedListsIn } from '../../src/store/saved-lists-table.ts';
import { MODULES } from './beginnings.ts';
import type { Chance } from './chance.ts';
import type { Desired } from './desired.ts';
import { keyOf, knownOf, SERVER, targetsOf, termsOf, type Target } from './ledger.ts';
import { requestFor } from './requests.ts';
import { noteArrival, type Arrival } from './hearing.ts';
import { clearLink, networkTo } from './network.ts';
import { clockOf } from './timeline.ts';
import { acceptedByOperator } from './watched-lists.ts';
import type { World } from './world.ts';

/*
 * Commands of an operator, in a process beside the poller's. Each returns a description of its effect, or undefined when it
 * had none.
 */

export function lift(world: World, chance: Chance): string | undefined {
  const { disk, ledger } = world;
  const entries = [...ledger.quarantine];
  if (disk.isFull() || entries.length === 0) return undefined;
  const [key, { moduleId, version }] = chance.one(entries);
  machineStateIn(disk.elsewhere()).lift(moduleId as ModuleId, version);
  ledger.quarantine.delete(key);
  ledger.novelty++;
  return key;
}

/** An operator refuses a version. It stays refused by the rollback or the failure that refused it before. */
export function quarantine(world: World, { moduleId }: Target, version: string): void {
  const { disk, ledger, line } = world;
  const since = line.wall();
  const entry = { version, digest: undefined, until: undefined };
  machineStateIn(disk.elsewhere()).quarantine({
    ...entry,
    moduleId: moduleId as ModuleId,
    since,
    reason: 'it squeaks',
  });
  ledger.quarantine.set(`${moduleId} ${version}`, { ...entry, moduleId });
  ledger.novelty++;
}

export function rollBack(world: World, chance: Chance): string | undefined {
  const { disk, ledger, line } = world;
  const versions = targetsOf(ledger.desired).filter(
    (target) => parseVersion(knownOf(ledger, target).running).ok,
  );
  if (disk.isFull() || versions.length === 0) return undefined;
  const target = chance.one(versions);
  const { running, previous } = knownOf(ledger, target);
  const [from, to] = [parseVersion(running), parseVersion(previous)];
  if (!from.ok) return undefined;
  const at = line.wall();
  const until = chance.is(0.3) ? at + 3_600_000 : undefined;
  const refused = to.ok && chance.is(0.7) ? listedAbove(to.value, world, target) : undefined;
  const rolledBack = {
    from: from.value,
    to: to.ok ? to.value : undefined,
    refused: refused && new Set(refused),
  };
  machineStateIn(disk.elsewhere()).rollBack(actionTarget(target), rolledBack, { at, until });
  const { moduleId } = target;
  const entry = { moduleId, version: from.value.text, digest: undefined, until };
  const backTo = to.ok ? to.value.text : undefined;
  ledger.quarantine.set(`${moduleId} ${from.value.text}`, {
    ...entry,
    isRollback: true,
    backTo,
    refused,
  });
  ledger.novelty++;
  return `${keyOf(target)} from ${running} to ${previous}`;
}

/** An operator requests a restart, whatever is deployed: the command refuses what cannot be restarted. (D41) */
export function requestRestart(world: World, chance: Chance): string | undefined {
  const { disk, ledger, line } = world;
  const targets = targetsOf(ledger.desired);
  if (disk.isFull() || targets.length === 0) return undefined;
  const running = targets.filter((target) => typeof knownOf(ledger, target).running === 'string');
  const target = chance.one(running.length > 0 ? running : targets);
  const isImmediate = chance.is(0.5);
  const at = line.wall();
  const request = { requestedAt: at, isImmediate };
  machineStateIn(disk.elsewhere()).requestRestart(actionTarget(target), request);
  const { moduleId } = target;
  ledger.requests.set(keyOf(target), { moduleId, at, isImmediate, failure: undefined });
  return `${keyOf(target)}${isImmediate ? ' at once' : ''}`;
}

/** A request ends before its restart is delivered. (D41) */
export function cancelRestart(world: World, chance: Chance): string | undefined {
  const { disk, ledger, complain } = world;
  const targets = targetsOf(ledger.desired).filter((target) => requestFor(ledger, target));
  if (disk.isFull() || targets.length === 0) return undefined;
  const target = chance.one(targets);
  const isDelivered = [...ledger.open.values()].some(
    (open) =>
      keyOf(open.target) === keyOf(target) &&
      open.direction === 'restart' &&
      open.state === 'delivered',
  );
  const isEnded = machineStateIn(disk.elsewhere()).cancelRestart(actionTarget(target));
  if (isEnded === isDelivered) {
    complain('D41', `the request for ${keyOf(target)} ${isEnded ? 'ended' : 'did not end'}`);
  }
  if (isEnded) ledger.requests.delete(keyOf(target));
  return isEnded ? keyOf(target) : undefined;
}

/** The versions above `version` in the list that the machine accepted last. */
function listedAbove(version: Version, { ledger }: World, target: Target): string[] | undefined {
  const { registry } = termsOf(ledger.desired as Desired, target.name);
  const accepted = ledger.accepted.get(`${registry} ${target.moduleId}`);
  return accepted?.list.releases
    .map((release) => release.version)
    .filter((text) => semver.compareBuild(text, version.text) > 0);
}

export function actionTarget({
  kind,
  name,
  moduleId,
}: Target): Parameters<ReturnType<typeof machineStateIn>['rollBack']>[0] {
  if (kind === 'module') return { kind, name, moduleId: moduleId as ModuleId };
  return { kind, name: name === SERVER.name ? 'platform-server' : 'platform-agent' };
}

/** An operator accepts the current list of a module over a fault-free network. (D22) */
export function accept(world: World, chance: Chance): string | undefined {
  const { disk, line, wire } = world;
  if (disk.isFull()) return undefined;
  const { registry } = chance.one(world.sites);
  const moduleId = chance.one(MODULES) as ModuleId;
  const { address } = registry;
  const clock = clockOf(line, () => true);
  const options = {
    line,
    wire,
    chance,
    isAlive: () => true,
    note: () => undefined,
    onArrival: (arrival: Omit<Arrival, 'isOwn'>) => {
      const moment = { elapsed: line.elapsed(), wall: line.wall() };
      noteArrival(world.ledger, address, { ...arrival, isOwn: false }, moment);
    },
  };
  const connection = connect(address, {
    limits: DEFAULT_LIMITS,
    clock,
    random: chance.next,
    onRetry: () => undefined,
    exchange: networkTo(registry, { ...clearLink(), delayMs: 0 }, options),
  });
  const remote = { ...modregRegistry(new URL(`${address}/`), connection), address, from: address };
  const file = savedListsIn(disk.elsewhere());
  const saved = {
    ...file,
    replace: (...[where, id, list]: Parameters<typeof file.replace>) => {
      // Nobody accepts a list after which none could follow.
      if (disk.isFull() || (list.generation ?? 0) > 2 ** 52) return;
      file.replace(where, id, list);
      acceptedByOperator(world, where, id, list);
    },
  };
  const { isClockRight } = world.conditions;
  const time = (): KnownTime =>
    isClockRight ? { kind: 'certain', at: clock.now() } : { kind: 'unsynchronized' };
  acceptList(moduleId, remote, { saved, clock, time }).catch(() => undefined);
  return `${address} ${moduleId}`;
}
