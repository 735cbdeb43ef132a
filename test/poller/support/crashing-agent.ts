/*
 * An agent process that upgrades acme:lidar from 1.2.3 to 1.2.9 and exits: crashing-agent.ts <home> <registry address>
 * <point>. It kills itself at <point>; with `none` it does not. It records deliveries in <home>/deliveries and their
 * execution in <home>/effects.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { DEFAULT_POLICY, readMachine } from '../../../src/config/index.ts';
import type { ActionTarget } from '../../../src/core/index.ts';
import { Poller, type Configuration, type Delivery } from '../../../src/poller/index.ts';
import { cachedRegistry } from '../../../src/registry/cached-registry.ts';
import { openForPoller, savedListsIn } from '../../../src/store/index.ts';
import type { MachineMemory } from '../../../src/core/plan/machine-memory.ts';
import type { MachineState } from '../../../src/store/machine-state.ts';
import { moduleId } from '../../support/ask.ts';
import { remoteAt } from '../../support/remote-at.ts';

const [home = '', address = '', point = 'none'] = process.argv.slice(2);
const LIDAR: ActionTarget = {
  kind: 'module',
  name: 'acme_lidar',
  moduleId: moduleId('acme:lidar'),
};
const random = (): number => 0;

/** Runs `work`, or kills the process just before or just after it. */
function killable<T>(name: string, work: () => T): T {
  if (point === `before ${name}`) process.kill(process.pid, 'SIGKILL');
  const done = work();
  if (point === `after ${name}`) process.kill(process.pid, 'SIGKILL');
  return done;
}

function crashing(state: MachineState, onLog: () => void): MachineState {
  return {
    ...state,
    commit: (...given) => killable('commit', () => state.commit(...given)),
    deliver: (...given) => killable('deliver', () => state.deliver(...given)),
    acknowledge: (...given) => killable('acknowledge', () => state.acknowledge(...given)),
    log: (...given) => {
      killable('log', () => state.log(...given));
      onLog();
    },
  };
}

function configuration(): Configuration {
  const entry = { type: 'registry', name: 'acme_lidar', module_id: 'acme:lidar', version: '1.2.*' };
  const read = readMachine(JSON.stringify({ modules: [entry] }));
  if (!read.ok) throw new Error(read.problems.map(({ message }) => message).join('; '));
  return { machine: read.value, policy: DEFAULT_POLICY };
}

function isOver(memory: MachineMemory): boolean {
  const { deployed } = memory.of(LIDAR);
  const running = deployed.kind === 'version' ? deployed.version.text : undefined;
  return running === '1.2.9' && memory.open.length === 0;
}

/** Carries out each id once, however often it is delivered. */
function carryOut({ action: { id, to } }: Delivery): void {
  const path = `${home}/effects`;
  const done = existsSync(path) ? readFileSync(path, 'utf8') : '';
  if (done.split('\n').some((line) => line.startsWith(`${id} `))) return;
  appendFileSync(path, `${id} ${to}\n`, { flush: true });
}

const file = openForPoller(`${home}/machine.db`);
// Before the poller starts, because the first round of a blank memory is observe-only.
if (file.state.memory().isBlank) file.state.report(LIDAR, '1.2.3', Date.now());
const registry = cachedRegistry(remoteAt(address, { random }), { saved: savedListsIn(file) });
const over = new AbortController();
const poller = new Poller({
  file: {
    ...file,
    state: crashing(file.state, () => {
      if (isOver(file.state.memory())) over.abort();
    }),
  },
  registryFor: () => registry,
  configuration,
  platform: 'linux/arm64',
  random,
  onEvent: (event) => {
    if (event.kind === 'callback-error') process.stderr.write(`${String(event.error)}\n`);
  },
});
poller.start();
for await (const delivery of poller.deliveries(over.signal)) {
  const { action, times } = delivery;
  appendFileSync(`${home}/deliveries`, `${action.id} ${action.to} ${times}\n`, { flush: true });
  killable('effect', () => carryOut(delivery));
  await delivery.done();
}
await poller.stop();
file.close();
