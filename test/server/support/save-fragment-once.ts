/* Saves the second revision of a fragment, and the documents of the machines that use it, in the catalogue of its argument. */
import { stateOf } from '../../../src/server/configs/fragment-table.ts';
import { Catalogue } from '../../../src/server/index.ts';

const [path = ''] = process.argv.slice(2);
const catalogue = new Catalogue(path, { mode: 'write' });
const { fragments } = catalogue.configs;
const users = fragments.users('base');
const about = { at: 0, author: 'a', reason: 'b' };
const documents = users.map(({ machine, revision, source }) =>
  Object.assign(
    { machine, basedOn: revision, config: '{"modules":[]}', policy: undefined, source },
    about,
  ),
);
const next = { name: 'base', revision: 2, content: '{"modules":[]}', ...about };
catalogue.apply({ kind: 'fragment', next, users: stateOf(users), documents });
catalogue.close();
