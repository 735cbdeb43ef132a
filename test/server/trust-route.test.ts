import { expect, it } from 'vitest';
import { AUTHOR, role, ROOT_ONE, ROOT_TWO, STRANGER, trustOf } from '../support/signed.ts';
import { tokenFor } from '../support/token.ts';
import { testRegistry } from './support/registry.ts';

const ROLES = [role('namespace *', 1, AUTHOR)];
const FIRST = trustOf(ROLES).text;

/** Version 2 with these root keys, signed by `signers`. */
function second(signers = [ROOT_ONE], more: Parameters<typeof trustOf>[2] = {}): string {
  return trustOf(ROLES, signers, { version: 2, ...more }).text;
}

function site(documents: readonly string[] = [FIRST], scopes: readonly string[] = ['trust']) {
  const registry = testRegistry();
  for (const text of documents) registry.catalogue.trust.store(text);
  const headers = { authorization: `Bearer ${tokenFor(registry.catalogue, scopes, 'keys')}` };
  const put = async (document: unknown) =>
    await registry.ask('PUT', '/v1/trust', { body: { document }, headers });
  return { ...registry, put };
}

const NEITHER = '/document: the trust document has';

it.each<[string, unknown, string]>([
  [
    'over a gap',
    trustOf(ROLES, [ROOT_ONE], { version: 3 }).text,
    `${NEITHER} version 3, expected 2`,
  ],
  ['of another first version', trustOf([]).text, `${NEITHER} version 1, expected 2`],
  [
    'of another name',
    second([ROOT_ONE], { name: 'x' }),
    `${NEITHER} the name x, expected acme-plant`,
  ],
  ['that no root key signed', second([]), `${NEITHER} 0 of 1 signatures of its root keys`],
  [
    'that only its own root keys signed',
    second([STRANGER], { root: role('root', 1, STRANGER) }),
    `${NEITHER} 0 of 1 signatures of the root keys of version 1`,
  ],
  [
    'that only the root keys before it signed',
    second([ROOT_ONE], { root: role('root', 1, STRANGER) }),
    `${NEITHER} 0 of 1 signatures of its root keys`,
  ],
  [
    'that is none',
    'modreg/trust@2\n\n',
    '/document: the trust document cannot be read: line 1 is "modreg/trust@2", expected modreg/trust@1',
  ],
  ['that is no text', 5, '/document: expected text'],
])('[D164] no version is stored %s', async (_title, document, detail) => {
  const { put, catalogue, events } = site();
  const answer = await put(document);
  expect([answer.status, Object(answer.json).detail]).toEqual([422, detail]);
  expect(catalogue.trust.documents()).toEqual([FIRST]);
  expect(events.map(({ kind }) => kind)).toEqual(['refused']);
});

it.each([
  [['publish', 'yank', 'import', 'rollout', 'fleet:read'], 403],
  [['machine:m'], 403],
])('[D164] a token with the scopes %j stores none', async (scopes, status) => {
  const { put, catalogue } = site([FIRST], scopes);
  expect((await put(second())).status).toBe(status);
  expect(catalogue.trust.documents()).toEqual([FIRST]);
});

it('[D164] the first version is stored in a registry without keys, and no other', async () => {
  const { put, catalogue } = site([]);
  const later = await put(second());
  expect([later.status, Object(later.json).detail]).toEqual([
    422,
    `${NEITHER} version 2, expected 1`,
  ]);
  expect((await put(FIRST)).json).toEqual({ version: 1, result: 'done' });
  expect(catalogue.trust.documents()).toEqual([FIRST]);
});

it('[D164] of two that are uploaded at once one is stored, and who sent the other is told', async () => {
  const { put, catalogue, events } = site();
  const both = [second(), second([ROOT_TWO], { expires: '2028-01-01T00:00:00Z' })];
  const answers = await Promise.all(both.map(put));
  expect(answers.map(({ status, json }) => [status, Object(json).detail ?? json])).toEqual([
    [200, { version: 2, result: 'done' }],
    [422, `${NEITHER} version 2, expected 3`],
  ]);
  expect(catalogue.trust.documents()).toEqual([FIRST, both[0]]);
  // The same one again is what is there.
  expect((await put(both[0])).json).toEqual({ version: 2, result: 'unchanged' });
  const stored = events.filter(({ kind }) => kind === 'trust-stored');
  expect(stored).toEqual([{ kind: 'trust-stored', version: 2, tokenId: 't2', peer: undefined }]);
});
