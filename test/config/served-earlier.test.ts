/* Revisions that a machine took earlier: before it had a trust document, or under which it did not reach its site. */
import { expect, it } from 'vitest';
import { ARM, CONFIG, LIDAR, outcome, OWN, revisionOf, type Serving } from './support/following.ts';

const SIGNED_LATER = { ...LIDAR, version: '1.*' };

it.each<[string, Serving, string]>([
  ['the same revision with another version', { on: { isUnproven: false } }, 'accepted'],
  [
    'that, if the revision in use was taken without a trust document',
    {},
    'needs-signature: /config/modules/acme_lidar/env may change only with the signatures of operators (it has 0 of 2; the revision in use was taken before the policy named the trust document, so that this is compared with the documents of the machine)',
  ],
  ['that with signatures', { signed: 2 }, 'accepted'],
  ['what its own documents allow', { localConfig: CONFIG }, 'accepted'],
])('[D433] a machine whose policy names a trust document is served %s', (_what, serving, found) => {
  const inForce = revisionOf(1, CONFIG);
  const localConfig = { modules: [{ ...LIDAR, env: {} }, OWN, ARM] };
  const config = { modules: [SIGNED_LATER, OWN, ARM] };
  const on = { inForce, highest: 1, isUnproven: true, ...serving.on };
  const served = { revision: 2 };
  expect(outcome({ localConfig, config, served, ...serving, on })).toBe(found);
});

it.each<[string, Partial<Serving>]>([
  ['the same documents', {}],
  ['other documents', { config: { modules: [LIDAR, OWN, { ...ARM, version: '3.*' }] } }],
  ['signatures of operators', { signed: 2 }],
])(
  '[D268] a revision under which the machine did not reach its site is not tried again with %s',
  (_what, serving) => {
    const on = { inForce: revisionOf(5, CONFIG), highest: 6, unreached: 6 };
    expect(outcome({ served: { revision: 6 }, ...serving, on })).toBe(
      'unreachable: the machine did not reach its site under revision 6: save the documents again, under another number',
    );
    expect(outcome({ served: { revision: 7 }, ...serving, on })).toBe('accepted');
  },
);
