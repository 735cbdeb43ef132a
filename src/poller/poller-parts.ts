import { machineIdIn } from '../config/machine-id.ts';
import { ActionGate } from './action-gate.ts';
import { Begun } from './begun.ts';
import { ConfigurationSource } from './configuration-source.ts';
import { isolated, type PollerEvent } from './event.ts';
import { Lists } from './lists.ts';
import { moduleSetups } from './module-setup.ts';
import { Outbox } from './outbox.ts';
import { Planner } from './planner.ts';
import type { PollerOptions } from './poller-options.ts';
import { pollingWith, type Polling } from './polling.ts';
import { StateAccess } from './state-access.ts';
import { Wakeup } from './wakeup.ts';

/** The parts of a poller. */
export interface PollerParts {
  readonly polling: Polling;
  readonly onEvent: (event: PollerEvent) => void;
  readonly configuration: ConfigurationSource;
  readonly state: StateAccess;
  readonly lists: Lists;
  readonly planner: Planner;
  readonly outbox: Outbox;
  readonly gate: ActionGate;
  readonly begun: Begun;
  readonly setupOf: ReturnType<typeof moduleSetups>;
  /** Woken when the machine has to be planned again. */
  readonly changes: Wakeup;
}

export function partsFor(options: PollerOptions): PollerParts {
  const polling = pollingWith(options);
  const onEvent = isolated<PollerEvent>(options.onEvent);
  const parts = {
    polling,
    onEvent,
    configuration: new ConfigurationSource(options.configuration, polling),
    state: new StateAccess(options.file.state, onEvent),
    gate: new ActionGate(polling.clock, onEvent, options.isUrgent),
    begun: new Begun(onEvent),
    changes: new Wakeup(polling.clock),
  };
  const { file, environment = {}, machineId = machineIdIn(environment) } = options;
  const { secretOf } = options;
  const setupOf = moduleSetups({ path: file.path, environment, machineId, secretOf });
  const outbox = new Outbox({ ...options, ...parts, setupOf });
  const lists = new Lists({ ...options, ...parts, facts: () => outbox.facts() });
  const planner = new Planner({
    ...options,
    ...parts,
    machineId,
    lists,
    facts: (action) => outbox.facts(action),
  });
  return { ...parts, setupOf, outbox, lists, planner };
}
