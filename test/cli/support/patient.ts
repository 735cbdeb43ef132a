import { mkdirSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { openRegistries } from '../../../src/registries/index.ts';
import { openForPoller, openMachineFile, savedListsIn } from '../../../src/store/index.ts';
import type { MachineState } from '../../../src/store/machine-state.ts';
import { moduleId } from '../../support/ask.ts';
import { examined } from './examined.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { listOf } from '../../../mocks/module-document.ts';
import { send } from '../../../mocks/plain-server.ts';
import { component, entry } from '../../support/planned.ts';

/** A folder with a home of mode 0700, after `work` on its state. */
export function patient(work?: (state: MachineState) => void): string {
  const folder = temporaryFolder();
  mkdirSync(`${folder}/home`, { mode: 0o700 });
  if (!work) return folder;
  const file = openForPoller(`${folder}/home/machine.db`);
  work(file.state);
  file.close();
  return folder;
}

/** A machine without warnings that needs the list of acme:lidar. */
const MACHINE = {
  components: [component('front', 'acme:lidar:scanner')],
  modules: [entry('acme:lidar', '1.*')],
};

/** A folder with a home, a machine config and a policy that names a registry. */
export function site(registry: string, policy: object = {}): string {
  return temporaryFolder({
    'home/empty': '',
    'machine.json': JSON.stringify(MACHINE),
    'policy.json': JSON.stringify({ registry, ...policy }),
  });
}

/** The findings of some checks, and the exit code. */
export async function shown(folder: string, ...checks: readonly string[]): Promise<string[]> {
  const lines = await Promise.all(
    checks.map(async (only) => {
      return (await examined(folder, [`${folder}/machine.json`], { only })).slice(0, -1);
    }),
  );
  return lines.flat().map(String);
}

/** Has the machine in `folder` save the list of acme:lidar from `address`, at `now`. */
export async function saveList(folder: string, address: string, now: number): Promise<void> {
  const file = openMachineFile(`${folder}/home/machine.db`);
  const clock = {
    now: () => now,
    monotonic: () => now,
    sleep: async () => await Promise.resolve(),
  };
  const registry = openRegistries({ saved: savedListsIn(file), clock }).open({ registry: address });
  if (!registry.ok) throw registry.error;
  await registry.value.readAll([moduleId('acme:lidar')]);
  file.close();
}

/** Answers a request. */
export type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** Answers with a list, at a time on the registry's clock. */
export function listAt(now: number, generation = 3): Answer {
  return (response, { url }) => {
    response.setHeader('date', new Date(now).toUTCString());
    if (url?.includes('/changes') === true) response.writeHead(404).end();
    else send(response, listOf(['1.0.0'], generation));
  };
}
