import { expect, it, onTestFinished } from 'vitest';
import { Modules } from '../../src/agent/modules.ts';
import { linux, type AgentPorts } from '../../src/agent/ports.ts';
import { readMachine } from '../../src/config/index.ts';
import { DEFAULT_POLICY } from '../../src/core/machine/update-policy.ts';
import { moduleOf } from '../../src/core/plan/target.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { openForPoller } from '../../src/store/index.ts';
import { noteActivation } from '../../src/store/activations.ts';
import { commitOne, moduleNamed } from '../support/claimed.ts';
import { component, entry } from '../support/planned.ts';

const NAMES = ['camera', 'arm'] as const;

/** A process that is ready at once. */
const moduleProcess: AgentPorts['moduleProcess'] = (_run, _start, reports) => {
  queueMicrotask(reports.ready);
  return { stop: async () => await Promise.resolve() };
};

function nothing(): void {
  // No test needs it.
}

/** The modules of a machine whose arm depends on its camera; both run. */
async function running(): Promise<Modules> {
  const file = openForPoller(':memory:');
  onTestFinished(() => file.close());
  const machine = readMachine(
    JSON.stringify({
      modules: NAMES.map((name) => entry(`acme:${name}`, '1.*', name)),
      components: [component('eye', 'acme:camera:usb'), component('hand', 'acme:arm:six', 'eye')],
    }),
  );
  if (!machine.ok) throw new Error('the config of the test cannot be read');
  for (const name of NAMES) {
    const current = { version: '1.0.0', root: `/packages/${name}` };
    const activation = {
      phase: 'stable',
      current,
      previous: undefined,
      settled: undefined,
    } as const;
    noteActivation(file, name, { moduleId: moduleOf(moduleNamed(name)), activation });
  }
  const modules = new Modules({
    ports: { ...linux(''), moduleProcess },
    file,
    site: { environment: {}, home: '/home', platform: 'linux/arm64', machineId: 'rover-7' },
    clock: virtualClock(),
    random: () => 0.5,
    runId: 'run',
    cgroups: undefined,
    onEvent: nothing,
    onLine: nothing,
    onEnd: nothing,
    onMissing: nothing,
    onEvidence: nothing,
  });
  modules.follow({ machine: machine.value, policy: DEFAULT_POLICY });
  await expect.poll(() => statesOf(modules)).toEqual(['running', 'running']);
  return modules;
}

function statesOf(modules: Modules): unknown[] {
  return NAMES.map((name) => modules.of(name)?.state.state);
}

it('[D47] what stopped for a replacement starts again, also if the file takes nothing of the replacement', async () => {
  const modules = await running();
  const file = openForPoller(':memory:');
  onTestFinished(() => file.close());
  const action = commitOne(file.state, { target: moduleNamed('camera') });
  const seen: unknown[] = [];
  const replaced = modules.whileHeld(action, {
    begin: async () => await Promise.resolve(),
    replace: async (hasStopped) => {
      seen.push(hasStopped, ...statesOf(modules));
      return await Promise.reject(new Error('the disk is full'));
    },
  });
  await expect(replaced).rejects.toThrow('the disk is full');
  expect(seen).toEqual([true, 'running', 'held']);
  await expect.poll(() => statesOf(modules)).toEqual(['running', 'running']);
});
