/* Gives the account ada the role and the password of the arguments, in the catalogue of the first one. */
import { Catalogue } from '../../../src/server/index.ts';

const [path = '', role = '', password = ''] = process.argv.slice(2);
const catalogue = new Catalogue(path, { mode: 'write' });
if (role === 'viewer' || role === 'admin')
  catalogue.accounts.set({ name: 'ada', role, password }, 1);
catalogue.close();
