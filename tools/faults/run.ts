/* Makes system calls fail, kills processes, cuts the power and flips bits: `npm run faults -- --help`. */
import { withAgentRegistry } from '../../test/faults/agent-registry.ts';
import { agentScene, settledScene } from '../../test/faults/agent-scene.ts';
import { COMMAND_SCENES } from '../../test/faults/command-scenes.ts';
import { cutPower, recordAgent } from '../../test/faults/cut-power.ts';
import { flipBits } from '../../test/faults/flip-bits.ts';
import { formatFault, parseFault, type InjectedFault } from '../../test/faults/injected-fault.ts';
import { INSTALL_SCENE } from '../../test/faults/install-scene.ts';
import { killAgents } from '../../test/faults/kill-agents.ts';
import { faultsIn, pickFaults, playFault, type Played } from '../../test/faults/play-faults.ts';
import { operatorsScene } from '../../test/faults/operators-scene.ts';
import { canTrace } from '../../test/faults/run-traced.ts';
import type { Scene } from '../../test/faults/scene.ts';
import { serveScene } from '../../test/faults/serve-scene.ts';
import { killUpgrades } from '../../test/faults/kill-upgrades.ts';
import { withUpgradeReleases } from '../../test/faults/upgrade-releases.ts';
import { upgradeScene } from '../../test/faults/upgrade-scene.ts';
import { randomFrom } from '../../test/support/mutate.ts';
import { oneOf, optionsOf, wholeNumber } from '../options.ts';

const HELP = `Makes real processes meet a fault, and looks for what is lost, duplicated or left unsaid.
  calls       system calls on state files fail once, for a while or from then on, or kill their process: of an agent,
              of commands of modreg, of an installation of a package, and of a served registry (default); with --in operators,
              of a poller and commands at once
  kills       agents are killed before a change to a file, until one has nothing left to do
  upgrades    agents that run modules are killed at any moment of an upgrade, and one release in five fails
  power-cuts  the power is cut at a moment in the work of an agent: each sector that is not synced is lost or not
  flips       bits of a machine.db are flipped, one at a time
  --count N       number of faults, kills, cuts or bits (default 100)
  --seed S        seed that selects them (default random)
  --in SCENE      with calls: this process only; a wrong name lists all
  --inject FAULT  with --in: this fault only, such as pwrite64:ENOSPC:7 (once), pwrite64:ENOSPC:7+ (from then on)
  --parallel N    number of processes at once (default 2)`;

const { values, positionals } = optionsOf(
  {
    allowPositionals: true,
    options: {
      count: { type: 'string', default: '100' },
      seed: { type: 'string' },
      in: { type: 'string' },
      inject: { type: 'string' },
      parallel: { type: 'string', default: '2' },
    },
  },
  HELP,
);
const PARTS = [
  { name: 'calls', play: playCalls },
  { name: 'kills', play: playKills },
  { name: 'upgrades', play: playUpgrades },
  { name: 'power-cuts', play: playPowerCuts },
  { name: 'flips', play: playFlips },
];
const part = oneOf('the part', positionals[0] ?? 'calls', PARTS);
const count = wholeNumber('--count', values.count, 1);
const seed = wholeNumber('--seed', values.seed ?? `${Math.floor(Math.random() * 2 ** 31)}`, 0);
const parallel = wholeNumber('--parallel', values.parallel, 1);
const random = randomFrom(seed);
const PROGRESS = 100;
const UPGRADES_OF_A_MACHINE = 25;

if (part.name !== 'flips' && !canTrace()) {
  console.error('strace is not installed, or may not be used here: apt-get install strace');
  process.exit(1);
}
console.log(`seed ${seed}`);
const began = performance.now();
await part.play();

async function playCalls(): Promise<void> {
  await withRegistries(async (address, upgrades) => {
    const all: readonly Scene[] = [
      agentScene(address),
      settledScene(address),
      INSTALL_SCENE,
      upgradeScene(upgrades),
      ...COMMAND_SCENES,
      serveScene(),
    ];
    // A poller that ends late makes this one fail now and then, so it is played on request only.
    const onRequest = operatorsScene(address);
    const scenes = values.in === undefined ? all : [oneOf('--in', values.in, [...all, onRequest])];
    const tasks: [Scene, InjectedFault][] = [];
    const fault = values.inject === undefined ? undefined : parseFault(values.inject);
    if (values.inject !== undefined && !fault) {
      console.error(`--inject must be like pwrite64:ENOSPC:7, not ${values.inject}`);
      process.exit(2);
    }
    for (const [place, scene] of scenes.entries()) {
      const share = Math.ceil((count - tasks.length) / (scenes.length - place));
      const faults = fault ? [fault] : pickFaults(await faultsIn(scene), share, random);
      for (const one of faults) tasks.push([scene, one]);
    }
    const exits = new Map<string, number>();
    let played = 0;
    await inParallel(tasks, async ([scene, one]) => {
      const result = await playFault(scene, one);
      const kind = outcomeOf(result);
      exits.set(kind, (exits.get(kind) ?? 0) + 1);
      if (fault) console.log(`${kind}: ${result.stderr}`);
      if (result.findings.length > 0) fail(scene, result);
      if (++played % PROGRESS === 0) console.log(`${played} faults, ${seconds()} s`);
    });
    const outcomes = [...exits].map(([kind, number]) => `${number} ${kind}`);
    outcomes.sort((one, other) => Number.parseInt(other, 10) - Number.parseInt(one, 10));
    console.log(`${played} faults: ${outcomes.join(', ')}; ${seconds()} s`);
  });
}

/** Serves the releases of both kinds of agents while `work` runs. */
async function withRegistries(
  work: (agents: string, upgrades: string) => Promise<void>,
): Promise<void> {
  await withAgentRegistry(async (agents) => {
    await withUpgradeReleases(async ({ address, publish }) => {
      publish('1.0.0', 'works');
      publish('1.0.1', 'works');
      await work(agents, address);
    });
  });
}

function outcomeOf({ call, exit }: Played): string {
  if (!call) return 'not reached';
  if (call.isUnlock) return 'unlocks (not judged)';
  return exit === '0' ? 'harmless or over' : exit === 'SIGKILL' ? 'killed' : `exits with ${exit}`;
}

function fail({ name }: Scene, { fault, call, findings, folder }: Played): void {
  process.exitCode = 1;
  const text = formatFault(fault);
  console.log(`npm run faults -- calls --in ${name} --inject ${text}   (${call?.on}; ${folder})`);
  for (const finding of findings) console.log(`  ${finding}`);
}

async function playKills(): Promise<void> {
  await withAgentRegistry(async (address) => {
    const kills = (await faultsIn(agentScene(address))).filter(({ error }) => error === 'KILL');
    let killed = 0;
    let machines = 0;
    const workers = Array.from({ length: parallel }, async (_, worker) => {
      const own = randomFrom(seed + worker);
      while (killed < count) {
        const result = await killAgents(address, kills, own);
        killed += result.kills;
        if (++machines % PROGRESS === 0) console.log(`${killed} kills, ${seconds()} s`);
        if (result.findings.length === 0) continue;
        process.exitCode = 1;
        console.log([`the machine in ${result.folder}`, ...result.findings].join('\n  '));
      }
    });
    await Promise.all(workers);
    console.log(
      `${killed} agents of ${machines} machines were killed, at ${kills.length} possible places; ${seconds()} s`,
    );
  });
}

async function playUpgrades(): Promise<void> {
  const totals = { upgrades: 0, kills: 0, machines: 0 };
  const workers = Array.from({ length: parallel }, async (_, worker) => {
    const own = randomFrom(seed + worker);
    while (totals.upgrades < count) {
      const share = Math.min(UPGRADES_OF_A_MACHINE, count - totals.upgrades);
      totals.upgrades += share;
      const { kills, findings, folder } = await killUpgrades(share, own);
      totals.kills += kills;
      totals.machines++;
      if (findings.length > 0) {
        process.exitCode = 1;
        console.log([`the machine in ${folder}`, ...findings].join('\n  '));
      }
    }
  });
  await Promise.all(workers);
  const { upgrades, kills, machines } = totals;
  console.log(
    `${upgrades} upgrades of ${machines} machines, ${kills} agents killed; ${seconds()} s`,
  );
}

async function playPowerCuts(): Promise<void> {
  const changes = await withAgentRegistry(recordAgent);
  let wrong = 0;
  for (let cut = 0; cut < count; cut++) {
    const { change, findings } = cutPower(changes, random);
    if (findings.length === 0) continue;
    wrong++;
    console.log([`cut ${cut + 1}, after change ${change}`, ...findings].join('\n  '));
  }
  console.log(`${count} cuts in ${changes.length} changes, ${wrong} with a loss; ${seconds()} s`);
  if (wrong > 0) process.exitCode = 1;
}

async function playFlips(): Promise<void> {
  const { harmless, files, rows, errors, silent } = flipBits(count, seed);
  console.log(
    `${count} bits: ${harmless} harmless, ${files} set the file aside, ${rows} a row, ${errors} an error, ${silent.length} silent; ${seconds()} s`,
  );
  for (const one of silent) console.log(one);
  if (silent.length > 0) process.exitCode = 1;
  await Promise.resolve();
}

async function inParallel<T>(tasks: T[], play: (task: T) => Promise<void>): Promise<void> {
  const worker = async (): Promise<void> => {
    for (let task = tasks.shift(); task; task = tasks.shift()) await play(task);
  };
  await Promise.all(Array.from({ length: parallel }, worker));
}

function seconds(): string {
  return ((performance.now() - began) / 1000).toFixed(1);
}
