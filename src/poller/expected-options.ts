import type { Configuration } from '../core/plan/configuration.ts';
import {
  expectMembers,
  FUNCTION,
  NUMBER,
  OBJECT,
  optional,
  TEXT,
  type Expected,
} from '../core/text/argument.ts';
import { MACHINE } from '../core/machine/machine.ts';
import { UPDATE_POLICY } from '../core/machine/update-policy.ts';
import { PLATFORM } from '../core/releases/platform.ts';
import { expectPolicyNames } from '../core/machine/spelling-of-policy.ts';
import { expectSpelling } from '../core/text/spelling.ts';
import { synchronous } from '../core/text/thenable.ts';
import { CLOCK } from '../registry/clock.ts';
import type { PollerOptions } from './poller-options.ts';

/** A file that `openMachineFile` opened is not locked for a poller, and has no state. */
const CLAIMED: Expected = {
  is: (value) => OBJECT.is(value) && 'state' in Object(value),
  words: 'a file of openForPoller()',
};

const OPTIONS: Readonly<Record<keyof PollerOptions, Expected>> = {
  file: CLAIMED,
  configuration: FUNCTION,
  registryFor: FUNCTION,
  platform: PLATFORM,
  systemTags: optional(FUNCTION),
  deployedVersion: optional(FUNCTION),
  isServerBusy: optional(FUNCTION),
  isMaintenanceAllowed: optional(FUNCTION),
  vetoes: optional(FUNCTION),
  environment: optional(OBJECT),
  secretOf: optional(FUNCTION),
  machineId: optional(TEXT),
  group: optional(TEXT),
  intervalMs: optional(NUMBER),
  acknowledgeWithinMs: optional(NUMBER),
  clock: optional(CLOCK),
  random: optional(FUNCTION),
  programSetup: optional(FUNCTION),
  isUrgent: optional(FUNCTION),
  bootId: optional(TEXT),
  onUpcoming: optional(FUNCTION),
  onEvent: optional(FUNCTION),
};

/** The documents that `configuration` returns: the values of Results, not the Results. */
const CONFIGURATION = { machine: MACHINE, policy: UPDATE_POLICY };

/** Throws a TypeError unless the options of a `Poller`, which no compiler checked, have their types. */
export function expectOptions(options: PollerOptions): void {
  expectMembers('new Poller()', 'options', options, OPTIONS);
  expectSpelling('new Poller()', 'options', options, OPTIONS);
}

/** The same options, whose callbacks throw a TypeError that names them if they return something that cannot be used. */
export function checkingAnswers(options: PollerOptions): PollerOptions {
  const { configuration, registryFor, isServerBusy, random } = options;
  return {
    ...options,
    configuration: async () => checkedConfiguration(await configuration()),
    registryFor: synchronous('registryFor', 'a registry', registryFor),
    isServerBusy: isServerBusy && synchronous('isServerBusy', 'true or false', isServerBusy),
    ...(random && { random: synchronous('random', 'a number', random) }),
  };
}

function checkedConfiguration(returned: Configuration): Configuration {
  expectMembers('configuration()', 'configuration', returned, CONFIGURATION);
  expectPolicyNames('configuration()', 'configuration.policy', returned.policy);
  return returned;
}
