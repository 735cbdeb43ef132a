import { mkdtempSync } from 'node:fs';
import { parseModuleId } from 'modreg';
import { DEFAULT_POLICY, readMachine } from 'modreg/config';
import { Poller, type Configuration, type Delivery } from 'modreg/poller';
import { openRegistries } from 'modreg/registry';
import { Catalogue, readRelease, serveRegistry } from 'modreg/server';
import { openForPoller, savedListsIn } from 'modreg/store';

// A registry to ask. A machine has one elsewhere.
const home = mkdtempSync('/tmp/agent-');
const catalogue = new Catalogue(`${home}/registry.db`, { mode: 'create' });
const [lidar, release] = [parseModuleId('acme:lidar'), readRelease({ version: '1.2.9' })];
if (lidar.ok && release.ok) catalogue.publish(lidar.value, release.value, Date.now());
const place = { host: '127.0.0.1', port: 0 };
const server = await serveRegistry(catalogue, place, { clock: Date.now, spreadMs: 0 });

// What the machine remembers. One poller has the file at a time.
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
  break; // An agent goes on.
}

/** Read again before each round. Where it throws, what it gave last goes on. */
function configuration(): Configuration {
  const document = `{"modules": [
    {"type": "registry", "name": "acme_lidar", "module_id": "acme:lidar", "version": "1.2.*"}
  ]}`;
  const machine = readMachine(document);
  if (!machine.ok) throw new Error(machine.problems.map(({ message }) => message).join('\n'));
  const terms = { ...DEFAULT_POLICY.terms, registry: server.address };
  return { machine: machine.value, policy: { ...DEFAULT_POLICY, terms } };
}

/** Of an action that comes again, by its id, only what is missing would be done. */
async function carryOut({ action, done, failed }: Delivery): Promise<void> {
  console.log(`${action.target.name}: ${action.from} → ${action.to}, ${action.reason.text}`);
  const isWell = await Promise.resolve(true);
  if (isWell) await done();
  else await failed({ reason: 'its health check failed', running: action.to, blame: 'release' });
}

await poller.stop();
memory.close();
await server.close();
