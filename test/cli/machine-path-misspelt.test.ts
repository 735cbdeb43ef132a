import { expect, it } from 'vitest';
import { inProcess } from '../support/in-process.ts';
import { temporaryFolder } from '../support/folder.ts';

const MACHINE = '{"modules": []}';

it.each([
  ['machin.json', 'machine.json'],
  ['Machine.json', 'machine.json'],
  ['rovers/machine.json', 'rover/machine.json'],
  // The other name is not there either.
  ['rovers/machin.json', undefined],
  ['none/machine.json', undefined],
  ['machine.json/policy', undefined],
  ['other.yaml', undefined],
])(
  '[D426] a file that does not exist is said in words: for %s, %s is suggested',
  async (typed, meant) => {
    const folder = temporaryFolder({ 'machine.json': MACHINE, 'rover/machine.json': MACHINE });
    const suggestion = meant === undefined ? '' : `  did you mean ${folder}/${meant} ?\n`;
    const reason = typed.startsWith('machine.json/')
      ? 'cannot be read (ENOTDIR)'
      : 'does not exist';
    expect(await inProcess(['check', `${folder}/${typed}`])).toEqual({
      stdout: '',
      stderr: `error[UNREADABLE_FILE]: the file "${folder}/${typed}" ${reason}\n${suggestion}`,
      exit: 2,
    });
  },
);
