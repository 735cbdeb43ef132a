import type { WRONG_ARGUMENTS } from './wrong-arguments.ts';

/** The rows of `modreg/testing`. */
export const WRONG_TESTING_ARGUMENTS: typeof WRONG_ARGUMENTS = {
  testMachine: [
    [[], 'found nothing as options, expected an object'],
    [[{ machine: '{}' }], 'found "{}" as options.machine, expected an object'],
    [
      [{ machine: {}, carryOut: {} }],
      'found an object as options.carryOut, expected a function or nothing',
    ],
  ],
  testRegistry: [
    [['acme:lidar'], 'found "acme:lidar" as releases, expected an object'],
    [[{}, { clock: Date.now }], 'found a function as options.clock, expected a Clock or nothing'],
  ],
  virtualClock: [[[new Date(0)], 'found an object as now, expected a number']],
};
