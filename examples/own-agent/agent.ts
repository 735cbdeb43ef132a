/*
 * A complete agent: agent.ts <machine.json> <policy.json> <home> [seconds between rounds]
 *
 * The file of a release is one executable program. An action is delivered until it is acknowledged, and each step is on
 * disk completely or not at all. So the agent may be killed at any point: the next one does the steps that are missing.
 */
import { mkdirSync, readFileSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ActionTarget } from 'modreg';
import { readMachine, readUpdatePolicy, termsFor, type DocumentResult } from 'modreg/config';
import { Poller, type Configuration, type Delivery, type PollerEvent } from 'modreg/poller';
import { openRegistries } from 'modreg/registry';
import { openForPoller, savedListsIn } from 'modreg/store';
import { killProgramsOf, starterOf, type Program } from './program.ts';
import { deployedVersion, download, setDeployed } from './versions.ts';

const [machinePath = '', policyPath = '', folder = '', seconds = '60'] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const home = realpathSync(folder);
/** The modules that passed their trial, by the names of their entries. */
const modules = new Map<string, Program>();
const stopping = new AbortController();
const file = openForPoller(`${home}/machine.db`); // Throws if another agent has it.
const saved = savedListsIn(file);
const poller = new Poller({
  file,
  configuration,
  registryFor: openRegistries({ saved, relativeTo: dirname(policyPath) }).registryFor,
  platform: process.arch === 'arm64' ? 'linux/arm64' : 'linux/amd64',
  deployedVersion: ({ kind, name }) =>
    kind === 'module' ? deployedVersion(home, name) : undefined,
  intervalMs: Number(seconds) * 1000,
  onEvent,
});
void run(); // An error ends the agent; whatever started it starts it again.

async function run(): Promise<void> {
  process.once('SIGTERM', () => stopping.abort());
  killProgramsOf(home);
  const { machine, policy } = configuration();
  for (const entry of machine.modules) {
    const { type, name, moduleId } = entry;
    const version = deployedVersion(home, name);
    if (type === 'local' || version === null) continue;
    try {
      const start = starterOf(entry, { home, version, terms: termsFor(policy, name) });
      void supervise({ kind: 'module', name, moduleId }, version, start);
    } catch (error) {
      console.error(name, error); // The other modules and the updates go on.
    }
  }
  poller.start();
  for await (const delivery of poller.deliveries(stopping.signal)) await carryOut(delivery);
  await Promise.all(Array.from(modules.keys(), stop));
  await poller.stop();
  file.close();
}

function onEvent(event: PollerEvent): void {
  if ('error' in event) console.error(event.kind, event.error);
  else console.log(event.kind, 'id' in event ? event.id : '');
}

/** Called before each round. If it throws, the poller keeps the previous configuration. */
function configuration(): Configuration {
  const machine = valueOf(readMachine(readFileSync(machinePath)));
  return { machine, policy: valueOf(readUpdatePolicy(readFileSync(policyPath))) };
}

function valueOf<T>(read: DocumentResult<T>): T {
  if (read.ok) return read.value;
  throw new Error(read.problems.map(({ path, message }) => `${path}: ${message}`).join('\n'));
}

async function carryOut(delivery: Delivery): Promise<void> {
  const { action, entry, terms, signal, done, failed } = delivery;
  const { target, to } = action;
  console.log(`${target.name}: ${action.direction} to ${to}: ${action.reason.text}`);
  let start: () => Program;
  try {
    if (!entry) throw new Error('this agent does not update itself');
    await download(action, home, AbortSignal.any([signal, stopping.signal]));
    start = starterOf(entry, { home, version: to, terms });
  } catch (error) {
    if (stopping.signal.aborted) return; // Nothing is acknowledged: the next agent gets the action again.
    // The network, the disk or the configuration failed: the action is delivered again later.
    const running = deployedVersion(home, target.name);
    return await failed({ blame: 'machine', reason: String(error), running });
  }
  await stop(target.name);
  const program = start();
  const reason = await Promise.race([program.ended, sleep(1000, undefined)]);
  if (reason !== undefined) {
    console.log(`${target.name}: ${to} failed its trial: ${reason}`);
    // It is quarantined, and the rollback is delivered at once.
    return await failed({ blame: 'release', reason, running: null });
  }
  void supervise(target, to, start, program);
  setDeployed(home, target.name, to);
  await done();
}

async function stop(name: string): Promise<void> {
  const program = modules.get(name);
  modules.delete(name);
  await program?.stop();
}

/** Starts a module again when it ends. When it ends for the third time within a minute, it is rolled back. */
async function supervise(
  target: ActionTarget,
  version: string,
  start: () => Program,
  first = start(),
): Promise<void> {
  const ends: number[] = [];
  for (let program = first; ; program = start()) {
    modules.set(target.name, program);
    const reason = await program.ended;
    if (modules.get(target.name) !== program) return; // stop() ended it.
    ends.push(performance.now());
    if (performance.now() - (ends.at(-3) ?? -Infinity) > 60_000) continue;
    modules.delete(target.name);
    return await poller.reportFailure(target, { version, reason, running: null });
  }
}
