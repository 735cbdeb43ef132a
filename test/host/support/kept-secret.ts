import type { ServedConfig } from '../../../src/core/trust/served-config.ts';
import type { SecretPlace } from '../../../src/host/served/kept-secrets.ts';
import type { SecretValues } from '../../../src/registry/secret-documents.ts';
import { entry } from '../../support/planned.ts';

const MAPS = { ...entry('acme:maps', '1.*'), env: { KEY: '${secret.KEY}' } };

/** Documents that name the secret KEY. */
export const NAMING: ServedConfig = {
  machine: 'rover-7',
  revision: 1,
  config: JSON.stringify({ modules: [MAPS] }),
  policy: undefined,
  signatures: {},
};

export function placeOf(home: string): SecretPlace {
  return { home, site: 'https://site.example', machine: 'rover-7' };
}

/** What a site says of the secret. */
export function valuesOf(value: string): SecretValues {
  const places = ['/modules/acme_maps/env/KEY (registry acme:maps)'];
  return { KEY: { value, places } };
}
