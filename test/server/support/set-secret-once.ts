/* Sets the second value of a secret of rover-7 beside the catalogue of its argument. */
import { Catalogue } from '../../../src/server/index.ts';

const [path = ''] = process.argv.slice(2);
const catalogue = new Catalogue(path, { mode: 'write' });
catalogue.configs.secrets.set('rover-7', 'MAPS', { value: 'second', places: ['/a'] });
catalogue.close();
