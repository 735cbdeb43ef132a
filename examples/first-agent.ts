import { readFileSync } from 'node:fs';
import { configurationFrom } from 'modreg/config';
import { Poller, type Configuration } from 'modreg/poller';
import { openRegistries } from 'modreg/registry';
import { openForPoller, savedListsIn } from 'modreg/store';

const file = openForPoller('machine.db'); // Only one poller at a time can open it.
const poller = new Poller({
  file,
  configuration,
  registryFor: openRegistries({ saved: savedListsIn(file) }).registryFor,
  platform: 'linux/arm64',
  // Nothing is deployed yet. Subsystems stay as they are: undefined means unknown.
  deployedVersion: ({ kind }) => (kind === 'module' ? null : undefined),
  intervalMs: 5000,
  onEvent: (event) => {
    if ('error' in event) console.error(`${event.kind}: ${String(event.error)}`);
  },
});
poller.start();
void run(); // CommonJS, to which it may be bundled, has no await here.

async function run(): Promise<void> {
  for await (const { action, done } of poller.deliveries()) {
    console.log(`${action.direction} ${action.target.name} ${action.to}: ${action.reason.text}`);
    await done(); // An agent downloads action.artifact, starts it, and checks that it works first.
    break; // An agent continues.
  }
  await poller.stop();
  file.close();
}

function configuration(): Configuration {
  return configurationFrom(readFileSync('machine.json'), readFileSync('policy.json'));
}
