import { meta, packed, program, SH, type Unusable } from './unusable-files.ts';

/** Scripts whose interpreters in the package no machine can start. */
export const UNUSABLE_INTERPRETERS: readonly Unusable[] = [
  [
    'an interpreter that it lacks',
    packed(meta(), program('#!venv/bin/python\n')),
    [
      'no-program',
      '"run": it cannot be started: its first line names venv/bin/python, which the package does not have',
    ],
  ],
  [
    'an interpreter that is not executable',
    packed(meta(), program('#!bin/python\n'), { name: 'bin/python', content: SH }),
    [
      'no-program',
      '"run": it cannot be started: its first line names bin/python, which is not executable',
    ],
  ],
  [
    'an interpreter of its interpreter that is not executable',
    packed(meta(), program('#!bin/a\n'), program('#!bin/b\n', 'bin/a'), {
      name: 'bin/b',
      content: SH,
    }),
    [
      'no-program',
      '"run": it cannot be started: its first line names bin/a, which leads to bin/b, which is not executable',
    ],
  ],
  [
    'an interpreter that is a link to itself',
    packed(meta(), program('#!loop\n'), { name: 'loop', type: '2', target: 'loop' }),
    [
      'no-program',
      '"run": it cannot be started: its first line names loop, which the package does not have',
    ],
  ],
  [
    'an interpreter that is a folder',
    packed(meta(), program('#!bin\n'), { name: 'bin/a', content: SH }),
    ['no-program', '"run": it cannot be started: its first line names bin, which is not a file'],
  ],
];
