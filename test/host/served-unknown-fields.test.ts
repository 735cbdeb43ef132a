import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { documentKeeper, documentsForStart } from '../../src/host/kept-documents.ts';
import { effectiveDocuments } from '../../src/host/served/effective.ts';
import { temporaryFolder } from '../support/folder.ts';
import { entry } from '../support/planned.ts';
import { quietWorld } from '../support/quiet-world.ts';

const CONFIG = JSON.stringify({ modules: [entry('acme:lidar', '1.*')] });
const MISSPELT = JSON.stringify({ maintenence: [] });
const SERVED = {
  machine: 'rover-7',
  revision: 3,
  config: JSON.stringify({ modules: [entry('acme:lidar', '2.*')] }),
  policy: JSON.stringify({ minimum_release_age: '3d' }),
  signatures: {},
};

it.each([
  ['from the start', undefined],
  ['after documents that had none', '{}'],
])(
  '[D241] [D269] an unknown field of its own holds a machine that follows its site, %s',
  (_, earlier) => {
    const folder = temporaryFolder({
      'home/.keep': '',
      'machine.json': CONFIG,
      'policy.json': earlier ?? MISSPELT,
    });
    const world = { ...quietWorld('linux/x64'), environment: { PLATFORM_HOME: `${folder}/home` } };
    const start = documentsForStart(`${folder}/machine.json`, {}, world);
    if (!start.ok) throw new Error('the documents cannot be read');
    documentKeeper(`${folder}/home`)(start.value.documents);
    start.value.read();
    writeFileSync(`${folder}/policy.json`, MISSPELT);
    const own = start.value.read();
    const used = own.ok ? effectiveDocuments(own.value, SERVED) : own;
    if (!used.ok) throw new Error(used.error.map(({ message }) => message).join());
    const { machine, policy } = used.value;
    expect(machine.modules.map((one) => one.type === 'registry' && one.constraint)).toEqual([
      { kind: 'major', major: 2 },
    ]);
    expect(policy.terms.minimumAge.ms).toBe(3 * 86_400_000);
    expect(policy.unknownFields?.map(({ path }) => path)).toEqual(['/maintenence']);
  },
);
