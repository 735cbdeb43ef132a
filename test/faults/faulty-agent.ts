/*
 * An agent process whose system calls fail: faulty-agent.ts <home> <registry address> <hours>. It works until nothing is
 * left to do, by a clock that begins <hours> later than this machine's and runs faster. Of three modules, one is upgraded,
 * one has a release that does not work, and one is upgraded at the second attempt. What its consumer does is recorded in
 * <home>.outside/log, one line each. It ends with 70 if machine.db cannot be opened, and with 75 if it cannot be used
 * for too long.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { DEFAULT_POLICY, readMachine } from '../../src/config/index.ts';
import {
  Poller,
  type Configuration,
  type Delivery,
  type PollerEvent,
} from '../../src/poller/index.ts';
import { cachedRegistry } from '../../src/registry/cached-registry.ts';
import { systemClock, type Clock } from '../../src/registries/index.ts';
import {
  DatabaseError,
  openForPoller,
  savedListsIn,
  type ClaimedFile,
} from '../../src/store/index.ts';
import { remoteAt } from '../support/remote-at.ts';
import { BEFORE, GAVE_UP, isSettled, MODULES, NOT_OPENED } from './agent-task.ts';

const [home = '', address = '', hours = '0'] = process.argv.slice(2);
const SPEED = 200;
/** Longer than the waits of the poller after a fault. */
const PATIENCE_MS = 1500;
const random = (): number => 0;
const outside = `${home}.outside/log`;

const clock: Clock = {
  now: () => Math.floor(Date.now() + Number(hours) * 3_600_000 + (SPEED - 1) * performance.now()),
  monotonic: () => SPEED * performance.now(),
  sleep: async (ms, signal) => await systemClock.sleep(ms / SPEED, signal),
};

function record(...words: readonly (string | number)[]): void {
  appendFileSync(outside, `${words.join(' ')}\n`);
}

function configuration(): Configuration {
  const modules = MODULES.map((name) => ({
    type: 'registry',
    name,
    module_id: `acme:${name}`,
    version: '1.*',
  }));
  const read = readMachine(JSON.stringify({ modules }));
  if (!read.ok) throw new Error(read.problems.map(({ message }) => message).join('; '));
  return { machine: read.value, policy: DEFAULT_POLICY };
}

function opened(): ClaimedFile {
  try {
    return openForPoller(`${home}/machine.db`);
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    process.stderr.write(`${error.kind}: ${error.message}\n`);
    process.exit(NOT_OPENED);
  }
}

/** Carries out each id once, however often it is delivered, and reports the same outcome each time. */
async function carryOut({ action, times, done, failed }: Delivery): Promise<void> {
  const { id, to } = action;
  const { name } = action.target;
  const earlier = readFileSync(outside, 'utf8').split('\n');
  record('delivered', id, name, to, times);
  if (name === 'base' && !earlier.some((line) => line.startsWith('attempted '))) {
    record('attempted', id, name, to);
    await failed({ reason: 'no network', running: BEFORE.base, blame: 'machine' });
    return;
  }
  if (!earlier.includes(`did ${id} ${name} ${to}`)) record('did', id, name, to);
  if (name === 'arm' && to !== BEFORE.arm) {
    await failed({ reason: 'health check failed', running: to, blame: 'release' });
  } else await done();
}

const file = opened();
for (const lost of file.lostRows) record('lost-row', lost);
if (file.setAside) record('set-aside', file.setAside.because);

const over = new AbortController();
let unavailableSince: number | undefined;
function onEvent(event: PollerEvent): void {
  if (event.kind === 'acknowledged') record('acknowledged', event.id, event.outcome.kind);
  if (event.kind === 'state-available') unavailableSince = undefined;
  if (event.kind === 'state-unavailable') {
    unavailableSince ??= performance.now();
    process.stderr.write(`${event.error.kind}: ${event.error.message}\n`);
  }
  if (event.kind === 'callback-error') process.stderr.write(`${String(event.error)}\n`);
}

const registry = cachedRegistry(remoteAt(address, { random }), { saved: savedListsIn(file) });
const poller = new Poller({
  file,
  registryFor: () => registry,
  configuration,
  deployedVersion: ({ name }) => BEFORE[name as keyof typeof BEFORE],
  platform: 'linux/arm64',
  random,
  clock,
  intervalMs: 5000,
  onEvent,
});
let exit = 0;
const watch = setInterval(() => {
  if (unavailableSince !== undefined && performance.now() - unavailableSince > PATIENCE_MS) {
    exit = GAVE_UP;
    over.abort();
  }
  try {
    if (isSettled(file)) over.abort();
  } catch (error) {
    // The poller reports it.
    if (!(error instanceof DatabaseError)) throw error;
  }
}, 50);
poller.start();
for await (const delivery of poller.deliveries(over.signal)) await carryOut(delivery);
clearInterval(watch);
await poller.stop();
file.close();
process.exitCode = exit;
