import type { WRONG_ARGUMENTS } from './wrong-arguments.ts';

/** The rows of `modreg/registry` and `modreg/store`. */
export const WRONG_LIST_ARGUMENTS: typeof WRONG_ARGUMENTS = {
  openRegistries: [
    [
      ['https://registry.example'],
      'found "https://registry.example" as options, expected an object',
    ],
    [[{ token: 'modreg_x' }], 'found "modreg_x" as options.token, expected a function or nothing'],
    [[{ fetch: {} }], 'found an object as options.fetch, expected a function or nothing'],
    [[{ clock: Date.now }], 'found a function as options.clock, expected a Clock or nothing'],
    [[{ saved: {} }], 'found an object as options.saved, expected SavedLists or nothing'],
    [[{ relativeTo: 5 }], 'found the number 5 as options.relativeTo, expected text or nothing'],
  ],
  openForPoller: [[[{ path: 'machine.db' }], 'found an object as path, expected text']],
  cached: [
    [[], 'found nothing as registry, expected an object'],
    [[{ read: async () => [] }, './registry'], 'found "./registry" as options, expected an object'],
  ],
  targetsIn: [
    [['machine.db'], 'found "machine.db" as file, expected a MachineFile of openMachineFile()'],
  ],
  openMachineFile: [[[undefined], 'found nothing as path, expected text']],
  savedListsIn: [
    [['machine.db'], 'found "machine.db" as file, expected an object'],
    [[{ path: 'machine.db' }], 'found nothing as file.sql, expected an object'],
  ],
};
