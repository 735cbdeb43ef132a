import type { AgentPorts } from '../../src/agent/ports.ts';
import { chanceOf } from './chance.ts';
import { Killed } from './crash-points.ts';
import { DEVICE_IS_AWAY, outageOf, shake } from './devices.ts';
import { provenKey, rowsIn } from './host-judge.ts';
import type { HostContext, ModuleProcess } from './host.ts';

/** How the failure of a process reads whose entry has a wrong value. */
const WRONG_VALUE = 'its value is wrong';

type Reports = Parameters<AgentPorts['moduleProcess']>[2];
type Start = Parameters<AgentPorts['moduleProcess']>[1];

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const LONGEST_START_MS = 10 * SECOND;
const READY_LIMIT_MS = MINUTE;
const PROBATION_MS = 30 * SECOND;
/** When a version that works at first ends, after its start. */
const ENDS_AFTER_MS = [PROBATION_MS + SECOND, PROBATION_MS + 20 * SECOND, 8 * MINUTE] as const;
const MANNERS = ['is never ready', 'ends at once', 'ends on probation', 'ends later'] as const;

/** What the process of a version does. Whether a version works depends on the seed, and on how many do not. */
export async function playProcess(
  { world, host, life, chance }: HostContext,
  process: ModuleProcess,
  {
    runnable,
    reports: { ready, failed },
    signal: stopping,
  }: {
    readonly runnable: () => ReturnType<Start['runnable']>;
    readonly reports: Reports;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { line, trace, seed, conditions } = world;
  const { name, version } = process;
  const unplugging = new AbortController();
  const signal = AbortSignal.any([stopping, unplugging.signal]);
  const pass = async (ms: number): Promise<void> => await life.clock.sleep(ms, signal);
  const noteFailure = (): void => {
    process.readyAt = undefined;
    process.hasFailed = true;
    host.crashes.set(name, [...(host.crashes.get(name) ?? []), line.elapsed()]);
  };
  const fail = (reason: string): void => {
    noteFailure();
    trace.note(`${version} of ${name} failed: ${reason}`);
    failed({ reason, blame: 'release' });
  };
  process.unplug = (): void => {
    const isUp = life.isAlive && host.processes.has(process) && !process.hasFailed;
    if (!isUp || process.isStopping) return;
    unplugging.abort(new Error(DEVICE_IS_AWAY));
    const isProven = host.proven.has(provenKey(name, process.root));
    const { phase } = rowsIn(world).get(name) ?? {};
    outageOf(host, name)?.failures.push({ version, entry: process.entry, phase, isProven });
    fail(DEVICE_IS_AWAY);
  };
  try {
    // Nothing is reported before the caller has the process.
    await Promise.resolve();
    const found = await runnable();
    signal.throwIfAborted();
    if (!found.ok) {
      noteFailure();
      failed(found.error);
      return;
    }
    if (process.trial !== undefined) shake(world, name);
    if (outageOf(host, name)) {
      await pass(chance.between(0, LONGEST_START_MS));
      if (outageOf(host, name)) {
        process.unplug();
        return;
      }
    }
    const health = chanceOf(seed, `${version} of ${name}`);
    const isWrong = host.values[host.given.get(name) ?? NaN] === true;
    const own = health.is(conditions.broken) ? health.one(MANNERS) : 'works';
    const manner = isWrong ? WRONG_VALUE : own;
    await pass(manner === 'is never ready' ? READY_LIMIT_MS : health.between(0, LONGEST_START_MS));
    if (manner === 'is never ready' || manner === 'ends at once' || isWrong) {
      fail(manner);
      return;
    }
    process.readyAt = line.elapsed();
    trace.note(`${version} of ${name} is ready`);
    const { readyAt, root } = process;
    line.after(PROBATION_MS - 1, () => {
      if (life.isAlive && process.readyAt === readyAt && host.processes.has(process))
        host.proven.add(provenKey(name, root));
    });
    ready();
    if (manner === 'works') return;
    await pass(
      manner === 'ends later' ? health.one(ENDS_AFTER_MS) : health.between(0, PROBATION_MS),
    );
    fail(manner);
  } catch (error) {
    if (!signal.aborted && !(error instanceof Killed)) throw error;
  }
}
