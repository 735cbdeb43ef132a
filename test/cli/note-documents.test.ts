import { expect, it } from 'vitest';
import { noteDocuments } from '../../src/cli/poll/note-documents.ts';
import { readPlanDocuments } from '../../src/host/plan-documents.ts';
import { effectiveDocuments } from '../../src/host/served/effective.ts';
import { temporaryFolder } from '../support/folder.ts';
import { entry } from '../support/planned.ts';

const HELD = 'it is ignored, and every replacement is held until that is corrected';
const SERVED = {
  machine: 'rover-7',
  revision: 1,
  config: JSON.stringify({ modules: [entry('acme:lidar', '1.*')] }),
  policy: undefined,
  signatures: {},
};

it.each([
  [
    '{"modues":[],"components":[]}',
    '{}',
    undefined,
    'it is ignored, so that no module is started until',
  ],
  ['{"modues":[],"components":[]}', '{}', SERVED, HELD],
  ['{"modules":[]}', '{"modues":{}}', undefined, HELD],
])(
  '[D315] of the config %s and the policy %s, with %o of a site, the log says what becomes of modules',
  (machine, policy, served, expected) => {
    const folder = temporaryFolder({ 'machine.json': machine, 'policy.json': policy });
    const own = readPlanDocuments(`${folder}/machine.json`, { unknownFields: 'warn' });
    const documents = own.ok ? effectiveDocuments(own.value, served) : own;
    if (!documents.ok) throw new Error(JSON.stringify(documents.error));
    const said: string[] = [];
    noteDocuments({ note: (_level, text) => void said.push(text) })(documents.value);
    expect(said).toEqual([expect.stringContaining(`; ${expected}`)]);
  },
);
