import { targetsOf, type Configuration } from '../core/plan/configuration.ts';
import {
  ANYTHING,
  expectMembers,
  FUNCTION,
  OBJECT,
  optional,
  TEXT,
  wrongArgument,
  type Expected,
} from '../core/text/argument.ts';
import { nearestWord } from '../core/text/nearest-word.ts';
import { quote } from '../core/text/quote.ts';
import type { Delivery, PollerOptions } from '../poller/index.ts';
import type { Releases } from './catalogues.ts';

/** A machine for a test, and options of its `Poller`. */
export interface TestMachineOptions extends Partial<
  Omit<
    PollerOptions,
    'file' | 'configuration' | 'clock' | 'programSetup' | 'isUrgent' | 'bootId' | 'onUpcoming'
  >
> {
  /** The machine config. */
  readonly machine: object;
  /** The update policy; by default it only names the registry. */
  readonly policy?: object;
  /** The releases of the registry; none by default. */
  readonly releases?: Releases;
  /** The versions deployed at the start by the name of the target; null for none. Others are unknown. */
  readonly deployed?: Readonly<Record<string, string | null>>;
  /** The time at the start; a Saturday at noon by default. */
  readonly now?: string;
  /** The agent under test. */
  readonly carryOut?: (delivery: Delivery) => void | Promise<void>;
}

/** Every option, so that a misspelt one is noticed. The `Poller` checks its own. */
const OPTIONS: Readonly<Record<keyof TestMachineOptions, Expected>> = {
  machine: OBJECT,
  policy: optional(OBJECT),
  releases: optional(OBJECT),
  deployed: optional(OBJECT),
  now: optional(TEXT),
  carryOut: optional(FUNCTION),
  registryFor: ANYTHING,
  platform: ANYTHING,
  systemTags: ANYTHING,
  deployedVersion: ANYTHING,
  isServerBusy: ANYTHING,
  isMaintenanceAllowed: ANYTHING,
  vetoes: ANYTHING,
  environment: ANYTHING,
  secretOf: ANYTHING,
  machineId: ANYTHING,
  group: ANYTHING,
  intervalMs: ANYTHING,
  acknowledgeWithinMs: ANYTHING,
  random: ANYTHING,
  onEvent: ANYTHING,
};

const DOCUMENTS = { machine: optional(OBJECT), policy: optional(OBJECT) };

/** Those that are no functions that each round calls. */
const WITHOUT_CALLS: ReadonlySet<string> = new Set<keyof TestMachineOptions>([
  'machine',
  'policy',
  'releases',
  'deployed',
  'now',
  'carryOut',
  'platform',
  'environment',
  'machineId',
  'group',
  'intervalMs',
  'acknowledgeWithinMs',
  'onEvent',
]);

/** Whether the poller calls a function of the test in each round, whose results may change with the time. */
export function hasCallbacks(options: object): boolean {
  return Object.keys(options).some((name) => !WITHOUT_CALLS.has(name));
}

/** Throws a TypeError unless the options of `testMachine` exist and have their types. */
export function expectTestOptions(options: object): void {
  expectMembers('testMachine()', 'options', options, OPTIONS);
  expectNames('testMachine()', 'options', {
    names: Object.keys(options),
    known: Object.keys(OPTIONS),
  });
}

/** Throws a TypeError unless what `configure()` gets has no other names, and their types. */
export function expectDocuments(documents: object): void {
  expectMembers('configure()', 'documents', documents, DOCUMENTS);
  const known = Object.keys(DOCUMENTS);
  expectNames('configure()', 'documents', { names: Object.keys(documents), known });
}

/** Throws a TypeError if a version is deployed of something that the machine does not have. */
export function expectDeployed(configuration: Configuration, names: Iterable<string>): void {
  const targets = targetsOf(configuration).map(({ name }) => name);
  expectNames('testMachine()', 'options.deployed', { names, known: targets });
}

function expectNames(
  callee: string,
  as: string,
  { names, known }: { readonly names: Iterable<string>; readonly known: readonly string[] },
): void {
  for (const name of names) {
    if (known.includes(name)) continue;
    const nearest = nearestWord(name, known);
    const advice = nearest === undefined ? '' : `; did you mean ${quote(nearest)} ?`;
    throw wrongArgument(callee, `a name in ${as}`, name, `${known.join(', ')}${advice}`);
  }
}
