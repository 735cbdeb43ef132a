/* Keeps the value `new` of the secret KEY in the folder of its argument. */
import { refreshSecrets } from '../../../src/host/served/kept-secrets.ts';
import { NAMING, placeOf, valuesOf } from './kept-secret.ts';

const [home = ''] = process.argv.slice(2);
await refreshSecrets(placeOf(home), [NAMING], async () => await Promise.resolve(valuesOf('new')));
