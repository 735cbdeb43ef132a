import type { AgentEvent, AgentOptions } from '../../src/agent/index.ts';
import { SupervisedMachine } from '../../src/agent/supervised-machine.ts';
import { Poller, type Delivery, type PollerOptions } from '../../src/poller/index.ts';
import { acknowledge, DONE, receive, reportFailure } from './consumer.ts';
import { Killed } from './crash-points.ts';
import { judgeOutcome, judgeTold } from './host-judge.ts';
import { portsOf, type HostContext } from './host.ts';
import type { Life } from './life.ts';
import { judgeMaintenance, judgeUpcoming, noteMaintenance } from './statuses.ts';
import { stoppingNow } from './stops.ts';
import { judgeBlame } from './unclean-starts.ts';
import { targetOf } from './watched-state.ts';
import { CallbackError } from './world.ts';

const HOME = '/home/robot';

/** The part of a life that modreg's own agent determines: it drives the poller, and runs the modules. */
export function agentIn(
  context: HostContext,
  options: PollerOptions,
  exit: (why: string) => void,
): Pick<Life, 'poller' | 'start' | 'stop'> {
  const { world, life, killable } = context;
  let poller: Poller | undefined;
  const machine = new SupervisedMachine(agentOptions(context, options), {
    ...portsOf(context),
    poller: ({ configuration, deployedVersion, environment = {}, isUrgent, ...own }) => {
      poller = new Poller({
        ...options,
        configuration,
        environment,
        ...(isUrgent && { isUrgent }),
        ...askedBy(context, options, own),
        onUpcoming: (upcoming) => {
          judgeUpcoming(world, upcoming);
          own.onUpcoming?.(upcoming);
        },
        deployedVersion: (target) =>
          killable('read the deployed version', () => {
            const version = deployedVersion?.(target);
            judgeTold(world, targetOf(target), version);
            return version;
          }),
      });
      return watched(context, poller);
    },
  });
  if (!poller) throw new Error('the agent has no poller');
  return {
    poller,
    start: () => {
      machine.start().catch((error: unknown) => {
        // A service manager starts an agent again that cannot start.
        if (life.isAlive && !(error instanceof Killed)) exit('as it could not start');
      });
    },
    stop: async () => await machine.stop(),
  };
}

/** What the agent asks its programs, and says of them. The server is asked if the policy names its address. */
function askedBy(
  { world, killable }: HostContext,
  { isMaintenanceAllowed }: PollerOptions,
  {
    vetoes,
    programSetup,
    ...own
  }: Pick<PollerOptions, 'vetoes' | 'programSetup' | 'isMaintenanceAllowed'>,
): Pick<PollerOptions, 'vetoes' | 'programSetup' | 'isMaintenanceAllowed'> {
  return {
    ...(vetoes && { vetoes }),
    ...(programSetup && { programSetup }),
    ...(isMaintenanceAllowed && {
      isMaintenanceAllowed: () =>
        world.ledger.desired?.asking === undefined
          ? isMaintenanceAllowed()
          : killable('ask for maintenance', async () => {
              const answer = await own.isMaintenanceAllowed?.();
              judgeMaintenance(world, answer);
              return noteMaintenance(world, answer);
            }),
    }),
  };
}

function agentOptions(
  { world, life }: HostContext,
  { file, configuration, environment, ...options }: PollerOptions,
): AgentOptions {
  const { complain, conditions } = world;
  const { state } = file;
  let isStarting = true;
  return {
    ...options,
    home: HOME,
    environment: environment ?? {},
    file: {
      ...file,
      state: {
        ...state,
        report: (target, running, at) => {
          judgeTold(world, targetOf(target), running);
          state.report(target, running, at);
        },
      },
    },
    configuration: () => {
      // The poller waits only so long for a configuration; a start waits for ever.
      const hangs = isStarting && conditions.configuration === 'hangs';
      isStarting = false;
      if (hangs) throw new CallbackError('the configuration is locked');
      return configuration();
    },
    onEvent: (event) => {
      if (life.isAlive) judgeEvent(event, world.disk.isFull(), complain);
    },
  };
}

function judgeEvent(
  event: AgentEvent,
  isFull: boolean,
  complain: HostContext['world']['complain'],
): void {
  const isExpected =
    'error' in event && (event.error instanceof CallbackError || event.error instanceof Killed);
  if (event.kind === 'callback-error' && !isExpected)
    complain('no unexpected errors', String((event.error as Error).stack));
  if (event.kind === 'module-waits-for-file' && !isFull) complain('T52', event.error.message);
}

/** The poller as the agent sees it. The oracle hears what the agent says. */
function watched(context: HostContext, poller: Poller): Pick<Poller, keyof Poller> {
  const { world, life, killable } = context;
  return {
    start: () => {
      // By now the agent has said what is deployed.
      world.ledger.isBlank = world.ledger.known.size === 0;
      poller.start();
    },
    stop: async () => await poller.stop(),
    look: () => poller.look(),
    targets: () => poller.targets(),
    reportFailure: async (target, failure) => {
      judgeBlame(world, target.name, failure.reason);
      await reportFailure(world, { poller }, { target, killable }, failure);
    },
    reportWorking: async (target, working) =>
      await killable('report what works', async () => {
        await poller.reportWorking(target, working);
      }),
    async *deliveries(signal) {
      try {
        for await (const delivery of poller.deliveries(signal)) {
          killable('hand over', () => receive(world, delivery));
          yield heard(context, delivery);
        }
      } finally {
        if (life.isAlive) world.judge.consumerEnded();
      }
    },
  };
}

function heard({ world, life, killable }: HostContext, delivery: Delivery): Delivery {
  const work = { delivery, killable, isReported: false };
  const { action } = delivery;
  const {
    direction,
    target: { name },
  } = action;
  return {
    ...delivery,
    extend: (ms) => {
      delivery.extend(ms);
      if (!delivery.signal.aborted) world.judge.extended(action.id, ms);
    },
    mayProceed: async () =>
      await killable('ask to begin', async () => {
        const permission = await delivery.mayProceed();
        if (life.isAlive && !life.isEnding) {
          const { mayProceed } = permission;
          world.judge.answered(action.id, { mayProceed, stopping: stoppingNow(world) });
        }
        return permission;
      }),
    done: async () => {
      judgeOutcome(world, { name, direction }, action.to);
      await acknowledge(world, work, DONE, delivery.done);
    },
    failed: async (failure) => {
      judgeOutcome(world, { name, direction }, failure.running);
      await acknowledge(world, work, failure, async () => await delivery.failed(failure));
    },
  };
}
