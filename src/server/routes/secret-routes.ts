import type { Context, Hono } from 'hono';
import { isSecretName } from '../../core/trust/secret-name.ts';
import {
  newSecret,
  type SavedSecret,
  type SecretList,
  type SecretValues,
} from '../../registry/secret-documents.ts';
import type { SecretReference } from '../../config/served/secret-places.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { problem } from '../problem.ts';
import { CONFIG_SCOPE } from '../tokens/scope.ts';
import { authorOf } from './bearer.ts';
import { noConfigs } from './config-routes.ts';
import type { Answer } from './guarded.ts';
import { jsonBody } from './json-body.ts';
import { SECRET, SECRET_VALUES, SECRETS } from './module-route.ts';
import { ofMachine, type AskedOfMachine } from './of-machine.ts';
import type { AppOptions } from './read-routes.ts';
import { readingBy } from './reading-by.ts';

/** Adds the routes of the values that documents of machines name (D362 to D364). */
export function addSecretRoutes(app: Hono, catalogue: Catalogue, options: AppOptions): void {
  const guarded = ofMachine(catalogue, options, { scope: CONFIG_SCOPE, inCluster: noConfigs });
  app.get(SECRETS, guarded('operator', listAnswer));
  app.put(SECRET, guarded('operator', setAnswer));
  app.delete(SECRET, guarded('operator', removeAnswer));
  app.get(SECRET_VALUES, guarded('machine', valuesAnswer));
}

const PRIVATE = { 'cache-control': 'no-store' };

/** What a machine alone reads. */
function valuesAnswer(c: Context, { catalogue, machine }: AskedOfMachine): Response {
  return c.json({ secrets: catalogue.configs.secrets.of(machine) }, { headers: PRIVATE });
}

/** What has a value, and what the newest documents name: never a value. */
async function listAnswer(c: Context, asked: AskedOfMachine): Promise<Answer> {
  const { catalogue, machine } = asked;
  const kept = new Map(Object.entries(catalogue.configs.secrets.of(machine)));
  const named = await namedIn(asked);
  const { placesOf } = await import('../configs/moved-secret.ts');
  const held = [...kept].flatMap(([name, secret]) => (secret ? name : []));
  const names = [...new Set([...held, ...named.map(({ name }) => name)])].toSorted();
  const secrets = names.map((name) => {
    const secret = kept.get(name);
    return { name, has_value: Boolean(secret), places: secret?.places ?? placesOf(name, named) };
  });
  return c.json({ secrets } satisfies SecretList, { headers: PRIVATE });
}

/** A value is for the places at which the newest documents name it, and for no others (D363). */
async function setAnswer(c: Context, asked: AskedOfMachine): Promise<Answer> {
  const { catalogue, machine, token, now, changed } = asked;
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
  const { secrets } = catalogue.configs;
  const { value } = body.value;
  secrets.set(machine, name, { value, places });
  const noted = { kind: 'secret-set', machine, name } as const;
  catalogue.configs.note({ ...noted, author: authorOf(token), at: now });
  changed(noted);
  return c.json({ machine, name, places, result: 'saved' } satisfies SavedSecret);
}

const BAD_NAME =
  'the address does not have the name of a secret, which is up to 64 letters, digits and "_", beginning with a letter';

function removeAnswer(c: Context, asked: AskedOfMachine): Response {
  const { catalogue, machine, token, now, changed } = asked;
  const { secrets } = catalogue.configs;
  const name = c.req.param('name') ?? '';
  const places = valueIn(secrets.of(machine), name)?.places;
  if (!places) return problem('unknown-config', `${machine} has no value with this name`);
  secrets.set(machine, name, null);
  const noted = { kind: 'secret-removed', machine, name } as const;
  catalogue.configs.note({ ...noted, author: authorOf(token), at: now });
  changed(noted);
  return c.json({ machine, name, places, result: 'removed' } satisfies SavedSecret);
}

function valueIn(secrets: SecretValues, name: string): SecretValues[string] | undefined {
  return Object.hasOwn(secrets, name) ? secrets[name] : undefined;
}

async function namedIn({ catalogue, machine }: AskedOfMachine): Promise<SecretReference[]> {
  // Reading documents loads much, and few registries have any.
  const { secretsInConfig } = await import('../../config/served/secret-places.ts');
  const newest = catalogue.configs.newest(machine);
  return newest ? secretsInConfig(newest) : [];
}
