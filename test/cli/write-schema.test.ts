import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { jsonSchemaOf } from '../../src/config/index.ts';
import { temporaryFolder } from '../support/folder.ts';
import { inProcess } from '../support/in-process.ts';

const SCHEMA = 'modreg-machine.schema.json';

/** What `modreg schema machine --write` does with a document: its output, the document, and whether there is a schema. */
async function written(text: string, more: Readonly<Record<string, string>> = {}, json = false) {
  const folder = temporaryFolder({ 'm.json': text, ...more });
  const args = ['schema', 'machine', '--write', `${folder}/m.json`, ...(json ? ['--json'] : [])];
  const { stdout, stderr, exit } = await inProcess(args);
  const shown = `${stdout}${stderr}`.replaceAll(folder, '.').trimEnd();
  const document = readFileSync(join(folder, 'm.json'), 'utf8');
  const path = join(folder, SCHEMA);
  const schema = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  return { shown, exit, document, schema };
}

const NAMED = `./${SCHEMA}: the JSON Schema of a machine document\nm.json names it in $schema`;

it.each([
  ['an object', '{\n  "modules": []\n}\n', `{\n  "$schema": "./${SCHEMA}",\n  "modules": []\n}\n`],
  ['an empty object', '{}', `{\n  "$schema": "./${SCHEMA}"\n}`],
  [
    'one with comments, which stay',
    '// mine\n{ /* a */ "modules": [] }',
    `// mine\n{\n  "$schema": "./${SCHEMA}", /* a */ "modules": [] }`,
  ],
  [
    'one that names another schema',
    '{ "$schema": "https://example.org/s", "modules": [] }',
    `{ "$schema": "./${SCHEMA}", "modules": [] }`,
  ],
])('[D349] schema --write names the schema in %s', async (_name, text, expected) => {
  const { shown, exit, document, schema } = await written(text);
  expect([shown, exit, document]).toEqual([NAMED, 0, expected]);
  expect(JSON.parse(schema ?? '')).toEqual(jsonSchemaOf('machine'));
});

it('[D349] schema --write again replaces its own schema alone', async () => {
  const text = `{ "$schema": "./${SCHEMA}" }`;
  const { shown, document, schema } = await written(text, {
    [SCHEMA]: '{ "$id": "urn:modreg:schema:machine", "earlier": true }',
  });
  expect([shown.split('\n')[1], document]).toEqual(['m.json already named it in $schema', text]);
  expect(schema).not.toContain('earlier');
});

it('[D349] schema --write answers with --json', async () => {
  const { shown } = await written('{}', {}, true);
  expect(JSON.parse(shown)).toEqual({
    schema: 'modreg/schema-write@1',
    file: './m.json',
    schema_file: `./${SCHEMA}`,
    changed: true,
  });
});

it.each([
  ['no JSON', '{', 'error[BAD_JSON]: ./m.json:1:2: expected "}"; nothing was changed'],
  [
    'a list',
    '[]',
    'error[BAD_JSON]: ./m.json: found a list, expected a JSON object; nothing was changed',
  ],
  [
    'one with a key twice',
    '{"modules": [], "modules": []}',
    'error[BAD_JSON]: ./m.json:1:17: this key appears twice; nothing was changed',
  ],
])('[D349] schema --write leaves a document that is %s', async (_name, text, message) => {
  expect(await written(text)).toMatchObject({
    shown: message,
    exit: 1,
    document: text,
    schema: undefined,
  });
});

it('[D349] schema --write leaves another file that has the name of the schema', async () => {
  const { shown, document, schema } = await written('{}', { [SCHEMA]: '{"mine": true}' });
  expect([document, schema, shown]).toEqual([
    '{}',
    '{"mine": true}',
    `error[UNREADABLE_FILE]: ./${SCHEMA} exists, and is not the JSON Schema that modreg writes; nothing was changed\nhint: rename that file`,
  ]);
});

it.each([
  [
    'an update policy by its fields',
    '{"minimum_release_age": "7d"}',
    'found an update policy by its fields',
    'policy',
  ],
  [
    'an agent configuration by its $schema',
    '{"$schema": "./modreg-agent.schema.json"}',
    'found an agent configuration by its $schema',
    'agent',
  ],
])('[D349] schema --write leaves %s', async (_name, text, found, kind) => {
  expect(await written(text)).toEqual({
    shown: `error[USAGE]: ./m.json: ${found}, expected a machine config; nothing was changed\nhint: modreg schema ${kind} --write ./m.json writes the schema that it needs`,
    exit: 2,
    document: text,
    schema: undefined,
  });
});

it('[D349] schema --write corrects the $schema of a document that has fields of its kind', async () => {
  const text = '{"$schema": "./modreg-policy.schema.json", "modules": []}';
  const { exit, document } = await written(text);
  expect([exit, document]).toEqual([0, text.replace('policy', 'machine')]);
});
