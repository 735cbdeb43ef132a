import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { inProcess } from '../support/in-process.ts';
import { ROOT } from '../support/modreg.ts';
import { sh } from '../support/shell.ts';

const GOOD = 'test/fixtures/documents/good';

describe('several documents', () => {
  const MACHINE = `${GOOD}/machine/empty.json`;
  const FINE = 'no problems; 0 modules read\n';

  it.each<[readonly string[], string, string, number]>([
    [[MACHINE, MACHINE], FINE + FINE, '', 0],
    [
      [MACHINE, `${GOOD}/policy/full.json`],
      `${FINE}no problems; read as an update policy\n`,
      '',
      0,
    ],
    [
      [MACHINE, 'package.json'],
      `${FINE}package.json:1:1  error[MISSING]  found no field of a machine config, expected components, modules, agent\n1 error; 0 modules read\n`,
      '',
      1,
    ],
    [
      ['package.json', 'nowhere.json', MACHINE],
      `package.json:1:1  error[MISSING]  found no field of a machine config, expected components, modules, agent\n1 error; 0 modules read\n${FINE}`,
      'error[UNREADABLE_FILE]: the file "nowhere.json" does not exist\n',
      2,
    ],
  ])('%j', async (paths, stdout, stderr, exit) => {
    expect(await inProcess(['check', ...paths])).toEqual({ stdout, stderr, exit });
  });

  it('are a line of JSON each', async () => {
    const lines = (await inProcess(['check', MACHINE, 'package.json', '--json'])).stdout
      .trimEnd()
      .split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { file: string }).file)).toEqual([
      MACHINE,
      'package.json',
    ]);
  });
});

describe('a document from stdin', () => {
  it.each([
    [
      '{"modulse": []}',
      '',
      '-:1:1  error[MISSING]  found no field of a machine config, expected components, modules, agent; did you mean modules ?\n1 error; 0 modules read\nexit 1\n',
    ],
    ['{"restart_ceiling": 1}', '', 'no problems; read as an update policy\nexit 0\n'],
    [
      '{}',
      '--policy ../policy.json',
      'no problems; 0 modules read; checked against ../policy.json\nexit 0\n',
    ],
    // A policy.json in the current folder has nothing to do with it.
    ['{}', '', 'no problems; 0 modules read\nexit 0\n'],
  ])('%s %s', (content, options, printed) => {
    const folder = temporaryFolder({ 'policy.json': '{}', 'here/policy.json': '{}' });
    const check = `cd ${folder}/here && echo '${content}' | ${ROOT}bin/modreg check - ${options}; echo "exit $?"`;
    expect(sh(check)).toBe(printed);
  });
});

it('a policy is not checked against another one that is beside it', async () => {
  const folder = temporaryFolder({
    'fleet.json': '{"registry": "r", "max_index_age": "7d"}',
    'policy.json': '{"max_index_age": 7}',
  });
  expect(await inProcess(['check', `${folder}/fleet.json`])).toEqual({
    stdout: 'no problems; read as an update policy\n',
    stderr: '',
    exit: 0,
  });
});
