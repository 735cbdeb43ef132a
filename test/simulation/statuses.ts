import type { AgentPorts } from '../../src/agent/ports.ts';
import type { PollerOptions } from '../../src/poller/index.ts';
import { rowsIn } from './host-judge.ts';
import type { HostContext } from './host.ts';
import { keyOf, SERVER } from './ledger.ts';
import { UNCLEAR_LIMIT_MS, type Standing, type Status } from './orders.ts';
import { targetOf } from './watched-state.ts';
import { CallbackError, type World } from './world.ts';

/*
 * What modules and the server say about their restart, and what becomes of it.
 */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
/** For so long of each minute, an address that opens for a moment allows a restart. */
const OPENS_MS = 20 * SECOND;
/** So many crashes since it was last up for ten minutes may be a crash loop, in which a module is not asked. */
const CRASH_LOOP = 2;
/** What has been up for so long is asked again. (T365) */
const RECOVERED_MS = 10 * MINUTE + SECOND;
/** After so long it has been up for ten minutes, also if its probation did not count. (T440) */
const FORGOTTEN_MS = 12 * MINUTE;

/** The programs that work, by the names of their entries. */
export function standingIn(world: World): ReadonlyMap<string, Standing> {
  const { host, line } = world;
  const rows = rowsIn(world);
  const all = [...(host?.processes ?? [])].flatMap(
    ({ name, life, readyAt, isStopping, hasFailed }): [string, Standing][] => {
      if (readyAt === undefined || isStopping || hasFailed || !life.isAlive || life.isEnding)
        return [];
      if (line.elapsed() - readyAt > FORGOTTEN_MS) host?.crashes.delete(name);
      const crashes = host?.crashes.get(name) ?? [];
      const phase = rows.get(name)?.phase ?? 'stable';
      const isLooping = crashes.length >= CRASH_LOOP && line.elapsed() - readyAt <= RECOVERED_MS;
      return [[name, { readyAt, isShaky: isLooping || phase !== 'stable' }]];
    },
  );
  return new Map(all);
}

/** Answers an agent that asks the program of an entry. */
export async function restartStatusIn(
  { world, life }: HostContext,
  url: string,
): ReturnType<AgentPorts['restartStatusAt']> {
  const { ledger, line } = world;
  const name = url.slice(url.lastIndexOf('/') + 1);
  let status = statusOf(world, name);
  if (status === 'hangs') {
    await life.clock.sleep(UNCLEAR_LIMIT_MS);
    status = 'unclear';
  }
  const at = line.elapsed();
  const isAllowed = status === 'unclear' ? ledger.desired?.asking === 'allow' : status.isAllowed;
  const before = ledger.answers.get(name);
  ledger.answers.set(name, {
    allowedAt: isAllowed ? at : (before?.allowedAt ?? -Infinity),
    last: { at, status },
  });
  if (status === 'unclear') return { ok: false, error: 'it does not answer' };
  const { reason, isOverridable } = status;
  return { ok: true, value: { isAllowed: status.isAllowed, reason, isOverridable } };
}

function statusOf({ host, conditions, line }: World, name: string): Status {
  const status = host?.statuses.get(name);
  if (status === 'opens for a moment') {
    return { isAllowed: line.elapsed() % MINUTE < OPENS_MS, reason: 'busy', isOverridable: true };
  }
  if (status) return status;
  if (name !== SERVER.name) return { isAllowed: true };
  const { maintenance: manner } = conditions;
  if (manner === 'hangs') return manner;
  if (manner === 'allowed') return { isAllowed: true };
  return manner === 'not allowed' ? { isAllowed: false } : 'unclear';
}

/** What an operator answers who is asked whether maintenance is allowed. */
export function maintenance(world: World): unknown {
  const { maintenance: manner } = world.conditions;
  switch (manner) {
    case 'allowed':
      return noteMaintenance(world, true);
    case 'not allowed':
      return noteMaintenance(world, false);
    case 'junk':
      return noteMaintenance(world, 'yes');
    case 'throws':
      noteMaintenance(world, new CallbackError('the operator cannot be asked'));
      throw new CallbackError('the operator cannot be asked');
    case 'hangs':
      return new Promise(() => undefined);
    case 'nothing':
      return noteMaintenance(world, undefined);
  }
}

/** The answer about maintenance that a decision rests on. */
export function noteMaintenance({ ledger, line }: World, answer: unknown): unknown {
  const at = line.elapsed();
  const words = new Map<unknown, string>([
    [true, 'allowed'],
    [false, 'not-allowed'],
    [undefined, 'missing'],
    ['forbidden', 'forbidden'],
  ]);
  const other = answer instanceof CallbackError ? 'failed' : 'not-a-boolean';
  ledger.maintenance = { at, answer: words.get(answer) ?? other };
  if (answer === true) ledger.allowedAt = at;
  return answer;
}

/** The server is asked if it works, and its answer is what the agent says. (D29) */
export function judgeMaintenance(world: World, answer: unknown): void {
  const { ledger, line, complain } = world;
  const server = standingIn(world).get(SERVER.name);
  const since = Math.max(server?.readyAt ?? Infinity, ledger.desiredSince);
  // One on trial is not asked.
  if (!server || server.isShaky || line.elapsed() - since <= UNCLEAR_LIMIT_MS) return;
  const { last } = ledger.answers.get(SERVER.name) ?? {};
  const isAsked = last !== undefined && line.elapsed() - last.at <= UNCLEAR_LIMIT_MS;
  const status = last?.status;
  const isAllowed = isAsked && status !== 'unclear' && status?.isAllowed === true;
  const isForbidden = status !== 'unclear' && status?.isOverridable === false;
  const expected = isAllowed || (isForbidden ? 'forbidden' : false);
  if (answer === expected) return;
  const said = isAsked ? JSON.stringify(status) : 'nothing';
  complain(
    'D29',
    `the agent says ${String(answer)} about maintenance, and the server said ${said}`,
  );
}

type Upcoming = Parameters<PollerOptions['onUpcoming'] & object>[0];

/** Only what timing holds may be prefetched, and only that version. (D78) */
export function judgeUpcoming(world: World, upcoming: Upcoming): void {
  const { host, judge, ledger, line, complain } = world;
  host?.upcoming.clear();
  for (const { target, version, root, isTimed } of upcoming) {
    if (!isTimed) continue;
    host?.upcoming.add(root);
    // A question about an action may have read a newer config at the moment of the plan.
    if (ledger.desiredSince === line.elapsed()) continue;
    const words = judge.expected(targetOf(target));
    // A requested restart may come first.
    const isHeld = words.some((word) => word.startsWith('hold ') && word.endsWith(` ${version}`));
    const isRestart = words.some((word) => word.includes('restart '));
    if (isHeld || isRestart) continue;
    complain(
      'D78',
      `${version} of ${keyOf(target)} waits for its time, where ${words.join(' or ')} is expected`,
    );
  }
}
