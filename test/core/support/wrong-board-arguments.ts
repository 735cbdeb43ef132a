import type { WRONG_ARGUMENTS } from './wrong-arguments.ts';

const BOARD = { failNew: false, analogs: [], digitalInterrupts: [] };

/** The rows of `modreg/board`. */
export const WRONG_BOARD_ARGUMENTS: typeof WRONG_ARGUMENTS = {
  openFakeBoard: [
    [['board'], 'found "board" as attributes, expected an object'],
    [
      [{ analogs: [], digitalInterrupts: [] }],
      'found nothing as attributes.failNew, expected true or false',
    ],
    [
      [{ failNew: false, analogs: [] }],
      'found nothing as attributes.digitalInterrupts, expected an array',
    ],
    [
      [BOARD, { clock: Date.now }],
      'found a function as options.clock, expected a Clock or nothing',
    ],
    [
      [BOARD, { tickIntervalMs: '5' }],
      'found "5" as options.tickIntervalMs, expected milliseconds from 1 or nothing',
    ],
  ],
};
