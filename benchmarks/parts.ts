import { oneOf, optionsOf, wholeNumber } from '../tools/options.ts';
import { imports } from './plans/imports.ts';
import {
  bytes,
  generatedLists,
  indexMemory,
  listMemory,
  realLists,
  refusals,
  usedIndexes,
} from './resolving/parts.ts';
import { plans, wholeProcesses } from './plans/parts.ts';
import { requirements } from './resolving/requires.ts';
import { script, type Part } from './part.ts';

const HELP = `Measures, prints the results and writes them into docs/benchmarks.md.
  --only NAME        only this part
  --peers            with registry: also attacks verdaccio and Debian's docker-registry, which it installs in a temporary folder
  --short            docs/benchmarks.md stays as it is; with agent: without other supervisors, in three rounds
  --idle-minutes N   with poller: the length of the part "idle" (default 2)
  --rounds N         the length of its part "many rounds" (default 100000)`;

const { values, positionals } = optionsOf(
  {
    allowPositionals: true,
    options: {
      'idle-minutes': { type: 'string', default: '2' },
      rounds: { type: 'string', default: '100000' },
      only: { type: 'string' },
      peers: { type: 'boolean', default: false },
      short: { type: 'boolean', default: false },
    },
  },
  HELP,
);
const idleMinutes = wholeNumber('--idle-minutes', values['idle-minutes'], 1);
/** Whether what is measured is only printed. */
export const isShort: boolean = values.short;
const rounds = wholeNumber('--rounds', values.rounds, 1);

/** The parts of each benchmark: an entry here is all that a new part needs. */
const BENCHMARKS: Readonly<Record<string, readonly Part[]>> = {
  bench: [
    { name: 'real lists', section: 'resolving', isPrinted: true, measure: realLists },
    { name: 'generated lists', section: 'resolving', measure: generatedLists },
    { name: 'used indexes', section: 'resolving', measure: usedIndexes },
    { name: 'bytes', section: 'resolving', isPrinted: true, measure: bytes },
    { name: 'refused texts', section: 'resolving', measure: refusals },
    { name: 'requirements', section: 'resolving', isPrinted: true, measure: requirements },
    { name: 'memory of an index', section: 'resolving', measure: indexMemory },
    { name: 'memory of lists', section: 'resolving', measure: listMemory },
    { name: 'plans', section: 'plans', isPrinted: true, measure: plans },
    { name: 'whole processes', section: 'plans', isPrinted: true, measure: wholeProcesses },
    { name: 'imports', section: 'plans', isPrinted: true, measure: imports },
  ],
  registry: [
    { name: 'registry', section: 'registry', measure: script('registry/load.ts') },
    { name: 'signed answers', section: 'registry', measure: script('registry/signed.ts') },
    { name: 'attacks', section: 'registry', measure: script('registry/attacks.ts') },
    ...(values.peers
      ? [{ name: 'peers', section: 'registry', measure: script('registry/peers.ts') }]
      : []),
    { name: 'fleet', section: 'fleet', measure: script('registry/fleet.ts') },
    { name: 'presence', section: 'fleet', measure: script('registry/presence.ts') },
    { name: 'commanded', section: 'fleet', measure: script('registry/commanded.ts') },
    { name: 'registry logs', section: 'logs', measure: script('registry/logs.ts') },
    { name: 'mixed load', section: 'registry', measure: script('registry/mixed-load.ts', '10') },
  ],
  network: [{ name: 'network', section: 'network', measure: script('network/network.ts') }],
  agent: [
    {
      name: 'agent',
      section: 'agent',
      measure: isShort ? script('agent/agent.ts', '3', '5', 'alone') : script('agent/agent.ts'),
    },
    { name: 'fast start', section: 'agent', measure: script('agent/fast-start.ts') },
    { name: 'memory', section: 'agent', measure: script('agent/memory.ts') },
    { name: 'logs', section: 'logs', measure: script('agent/logs.ts') },
  ],
  poller: [
    { name: 'rounds', section: 'poller', measure: script('poller/rounds.ts') },
    { name: 'command', section: 'poller', measure: script('poller/command.ts') },
    { name: 'long lists', section: 'poller', measure: script('poller/long-lists.ts') },
    { name: 'latency', section: 'poller', measure: script('poller/latency.ts') },
    { name: 'first plan', section: 'poller', measure: script('poller/first-plan.ts') },
    { name: 'idle', section: 'poller', measure: script('poller/idle.ts', `${idleMinutes}`) },
    {
      name: 'many rounds',
      section: 'poller',
      measure: script('poller/many-rounds.ts', `${rounds}`),
    },
  ],
};

/** The parts that the command line names: a benchmark, and one part of it with `--only`. */
export function chosenParts(): readonly Part[] {
  const [benchmark = 'bench'] = positionals;
  const named = Object.entries(BENCHMARKS).map(([name, parts]) => ({ name, parts }));
  const { parts } = oneOf('the benchmark', benchmark, named);
  return values.only === undefined ? parts : [oneOf('--only', values.only, parts)];
}
