import type { Context, Hono } from 'hono';
import { isSecretName } from '../../core/trust/secret-name.ts';
import { newSecret, type SavedSecret, type SecretList } from '../../registry/secret-documents.ts';
import type { SecretReference } from '../../config/served/secret-places.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { NotedChange } from '../configs/noted-changes.ts';
import type { SecretOf } from '../configs/sealed-secrets.ts';
import { problem } from '../problem.ts';
import { CONFIG_SCOPE } from '../tokens/scope.ts';
import { authorOf } from './bearer.ts';
import type { Answer } from './guarded.ts';
import { jsonBody } from './json-body.ts';
import { SECRET, SECRET_VALUES, SECRETS } from './module-route.ts';
import { ofMachine, type AskedOfMachine, type WritingOptions } from './of-machine.ts';
import { readingBy } from './reading-by.ts';

/** Adds the routes of the values that documents of machines name (D362 to D364). */
export function addSecretRoutes(app: Hono, catalogue: Catalogue, options: WritingOptions): void {
  const guarded = ofMachine(catalogue, options, { scope: CONFIG_SCOPE });
  app.get(SECRETS, guarded('operator', listAnswer));
  app.put(SECRET, guarded('operator', setAnswer));
  app.delete(SECRET, guarded('operator', removeAnswer));
  app.get(SECRET_VALUES, guarded('machine', valuesAnswer));
}

const PRIVATE = { 'cache-control': 'no-store' };

/** What a machine alone reads. */
function valuesAnswer(c: Context, { catalogue, machine, replica }: AskedOfMachine): Response {
  const { secrets } = catalogue.configs;
  if (!replica) return c.json({ secrets: secrets.of(machine) }, { headers: PRIVATE });
  const opened = secrets.sealed.open(machine);
  if (!opened.ok) return problem('no-secrets', opened.error);
  return c.json({ secrets: opened.value }, { headers: PRIVATE });
}

/** What has a value, and what the newest documents name: never a value. */
async function listAnswer(c: Context, asked: AskedOfMachine): Promise<Answer> {
  const { catalogue, machine } = asked;
  const kept = catalogue.configs.secrets.places(machine);
  const named = await namedIn(asked);
  const { placesOf } = await import('../configs/moved-secret.ts');
  const names = [...new Set([...kept.keys(), ...named.map(({ name }) => name)])].toSorted();
  const secrets = names.map((name) => {
    const places = [...(kept.get(name) ?? placesOf(name, named))];
    return { name, has_value: kept.has(name), places };
  });
  return c.json({ secrets } satisfies SecretList, { headers: PRIVATE });
}

/** A value is for the places at which the newest documents name it, and for no others (D363). */
async function setAnswer(c: Context, asked: AskedOfMachine): Promise<Answer> {
  const { machine, changed } = asked;
  const body = await jsonBody(c, readingBy(newSecret));
  if (!body.ok) return body.error;
  const name = c.req.param('name') ?? '';
  if (!isSecretName(name)) return problem('bad-request', BAD_NAME);
  const { placesOf } = await import('../configs/moved-secret.ts');
  const places = placesOf(name, await namedIn(asked));
  if (places.length === 0) {
    const found = `the newest documents of ${machine} do not have \${secret.${name}}`;
    return problem('unknown-config', `${found}: save documents that do, then set its value`);
  }
  const fault = await keepValue(asked, { machine, name, places }, body.value.value);
  if (fault !== undefined) return problem('no-secrets', fault);
  const noted = { kind: 'secret-set', machine, name } as const;
  changed(noted);
  noteSecret(asked, noted);
  return c.json({ machine, name, places, result: 'saved' } satisfies SavedSecret);
}

const BAD_NAME =
  'the address does not have the name of a secret, which is up to 64 letters, digits and "_", beginning with a letter';

/** Why the value is not kept; undefined if it is. A front seals it (D402). */
async function keepValue(
  { catalogue, write, replica }: AskedOfMachine,
  of: SecretOf,
  value: string,
): Promise<string | undefined> {
  const { machine, name, places } = of;
  const { secrets } = catalogue.configs;
  if (!replica) {
    secrets.set(machine, name, { value, places: [...places] });
    return undefined;
  }
  const sealed = secrets.sealed.seal(of, value);
  if (!sealed.ok) return sealed.error;
  await write({ kind: 'secret', machine, name, secret: sealed.value });
  return undefined;
}

async function removeAnswer(c: Context, asked: AskedOfMachine): Promise<Answer> {
  const { catalogue, machine, changed, write, replica } = asked;
  const { secrets } = catalogue.configs;
  const name = c.req.param('name') ?? '';
  const places = secrets.places(machine).get(name);
  if (!places) return problem('unknown-config', `${machine} has no value with this name`);
  if (replica) await write({ kind: 'secret', machine, name, secret: null });
  else secrets.set(machine, name, null);
  const noted = { kind: 'secret-removed', machine, name } as const;
  changed(noted);
  noteSecret(asked, noted);
  const removed: SavedSecret = { machine, name, places: [...places], result: 'removed' };
  return c.json(removed);
}

/** Fronts of a cluster would each note another part (D443). */
function noteSecret(
  { catalogue, token, now }: AskedOfMachine,
  noted: Pick<NotedChange, 'kind' | 'machine' | 'name'>,
): void {
  if (!catalogue.log.isOfFront())
    catalogue.configs.note({ ...noted, author: authorOf(token), at: now });
}

async function namedIn({ catalogue, machine }: AskedOfMachine): Promise<SecretReference[]> {
  // Reading documents loads much, and few registries have any.
  const { secretsInConfig } = await import('../../config/served/secret-places.ts');
  const newest = catalogue.configs.newest(machine);
  return newest ? secretsInConfig(newest) : [];
}
