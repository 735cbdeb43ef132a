/*
 * An agent with one module: upgrading-agent.ts <home> <registry address> <hours> <settled> [<kill>]. It ends once what it has
 * is described by <settled>, by a clock that is <hours> ahead; with 70 if machine.db cannot be opened, and with 75 if the
 * machine fails or it is not settled in time. It kills itself at the event that is described by <kill>. PROBATION_MS is 200 by default.
 */
import { Agent } from '../../src/agent/agent.ts';
import type { AgentEvent } from '../../src/agent/index.ts';
import { DEFAULT_POLICY, readMachine } from '../../src/config/index.ts';
import type { Configuration } from '../../src/poller/index.ts';
import { cachedRegistry } from '../../src/registry/cached-registry.ts';
import { systemClock } from '../../src/registries/index.ts';
import {
  DatabaseError,
  openForPoller,
  savedListsIn,
  type ClaimedFile,
} from '../../src/store/index.ts';
import { remoteAt } from '../support/remote-at.ts';
import { GAVE_UP, NOT_OPENED } from './agent-task.ts';
import { eventIn, settledIn, TARGET } from './upgrade-task.ts';

const [home = '', address = '', hours = '0', settled = '', kill = ''] = process.argv.slice(2);
/** Longer than an upgrade and its rollback take beside other work. */
const PATIENCE_MS = 25_000;
const TIMES_MS = 200;

/** Ends the process if machine.db cannot be used. */
function notStarted(error: unknown): never {
  if (!(error instanceof DatabaseError)) throw error;
  process.stderr.write(`${error.kind}: ${error.message}\n`);
  process.exit(NOT_OPENED);
}

function opened(): ClaimedFile {
  try {
    return openForPoller(`${home}/machine.db`);
  } catch (error) {
    return notStarted(error);
  }
}

function configuration(): Configuration {
  const { name, moduleId } = TARGET;
  const entry = { type: 'registry', name, module_id: moduleId, version: '1.*' };
  const read = readMachine(JSON.stringify({ modules: [entry] }));
  if (!read.ok) throw new Error(read.problems.map(({ message }) => message).join('; '));
  const run = {
    ...DEFAULT_POLICY.terms.run,
    runAs: process.getuid?.() === 0 ? 'root' : undefined,
    readyMs: TIMES_MS,
    probationMs: Number(process.env['PROBATION_MS'] ?? TIMES_MS),
    stopMs: TIMES_MS,
  };
  const terms = { ...DEFAULT_POLICY.terms, run, restartCooldownMs: 0, restartCeiling: 1000 };
  return { machine: read.value, policy: { terms, modules: new Map() } };
}

const file = opened();
if (file.setAside) process.stderr.write(`set aside: ${file.setAside.because}\n`);
for (const lost of file.lostRows) process.stderr.write(`lost row: ${lost}\n`);

function giveUp(): void {
  process.exitCode = GAVE_UP;
  over.resolve(undefined);
}

const over = Promise.withResolvers<undefined>();
let state = 'idle';
function onEvent(event: AgentEvent): void {
  if (event.kind === 'module') state = event.state;
  if (event.kind === 'acknowledged' && event.outcome.kind === 'failed') {
    // The action is repeated in a later hour.
    if (event.outcome.blame === 'machine') giveUp();
  }
  if (event.kind === 'state-unavailable' || event.kind === 'module-waits-for-file') {
    process.stderr.write(`${event.error.kind}: ${event.error.message}\n`);
  }
  if (event.kind === 'callback-error' || event.kind === 'not-removed')
    process.stderr.write(`${String(event.error)}\n`);
  if (eventIn(event) === kill) process.kill(process.pid, 'SIGKILL');
}

const registry = cachedRegistry(remoteAt(address, {}), { saved: savedListsIn(file) });
const agent = new Agent({
  file,
  home,
  platform: 'linux/amd64',
  environment: { HOME: home },
  configuration,
  registryFor: () => registry,
  random: () => 0,
  clock: { ...systemClock, now: () => Date.now() + Number(hours) * 3_600_000 },
  intervalMs: 5000,
  onEvent,
});
const late = setTimeout(giveUp, PATIENCE_MS);
const watch = setInterval(() => {
  try {
    if (settledIn(file, state) === settled) over.resolve(undefined);
  } catch (error) {
    // The agent reports it.
    if (!(error instanceof DatabaseError)) throw error;
  }
}, 50);
await agent.start().catch(notStarted);
await over.promise;
clearInterval(watch);
clearTimeout(late);
await agent.stop();
file.close();
