import type { World } from '../../src/base/world.ts';
import { systemClock } from '../../src/registries/index.ts';

/** The world of a command that runs in this process: no environment, no terminal, no output. */
export function quietWorld(platform: string): World {
  return {
    environment: {},
    platform,
    isTerminal: false,
    isAnswerShown: false,
    columns: undefined,
    clock: () => 0,
    timer: systemClock,
    random: () => 0,
    print: () => undefined,
    note: () => undefined,
    log: () => undefined,
    status: () => undefined,
    untilStdoutCloses: async () => undefined,
    untilSignal: async () => await Promise.resolve('SIGTERM'),
  };
}
