import { mkdtempSync } from 'node:fs';
import { parseModuleId } from 'modreg';
import { DEFAULT_POLICY, readMachine } from 'modreg/config';
import { Poller, type Configuration, type Delivery } from 'modreg/poller';
import { openRegistries } from 'modreg/registry';
import { Catalogue, readRelease, serveRegistry } from 'modreg/server';
import { openForPoller, savedListsIn } from 'modreg/store';

// A registry for this example. In production it runs on another host.
const home = mkdtempSync('/tmp/agent-');
const catalogue = new Catalogue(`${home}/registry.db`, { mode: 'create' });
const [lidar, release] = [parseModuleId('acme:lidar'), readRelease({ version: '1.2.9' })];
if (lidar.ok && release.ok) catalogue.publish(lidar.value, release.value, Date.now());
const place = { host: '127.0.0.1', port: 0 };
const server = await serveRegistry(catalogue, place, { clock: Date.now, spreadMs: 0 });

// The machine's state. Only one poller at a time can open this file.
const memory = openForPoller(`${home}/machine.db`);
const registries = openRegistries({ saved: savedListsIn(memory) });

const poller = new Poller({
  file: memory,
  configuration,
  registryFor: registries.registryFor,
  platform: 'linux/arm64',
  deployedVersion: ({ name }) => (name === 'acme_lidar' ? '1.2.3' : undefined),
  intervalMs: 5000,
  onEvent: (event) => console.log(event.kind),
});
poller.start();

for await (const delivery of poller.deliveries()) {
  await carryOut(delivery);
  break; // A real agent continues.
}

/** Called before each round. If it throws, the poller keeps the previous configuration. */
function configuration(): Configuration {
  const document = `{"modules": [
    {"type": "registry", "name": "acme_lidar", "module_id": "acme:lidar", "version": "1.2.*"}
  ]}`;
  const machine = readMachine(document);
  if (!machine.ok) throw new Error(machine.problems.map(({ message }) => message).join('\n'));
  const terms = { ...DEFAULT_POLICY.terms, registry: server.address };
  return { machine: machine.value, policy: { ...DEFAULT_POLICY, terms } };
}

/** An action can be delivered again with the same id. A real agent then does only the steps that are missing. */
async function carryOut({ action, done, failed }: Delivery): Promise<void> {
  console.log(`${action.target.name}: ${action.from} → ${action.to}, ${action.reason.text}`);
  const isWell = await Promise.resolve(true);
  if (isWell) await done();
  else await failed({ reason: 'its health check failed', running: action.to, blame: 'release' });
}

await poller.stop();
memory.close();
await server.close();
