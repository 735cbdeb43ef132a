import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { DOCUMENT_KINDS, type DocumentKind } from '../../src/config/document-kind.ts';
import { jsonSchemaOf } from '../../src/config/index.ts';
import { readJson } from '../../src/config/text/json-document.ts';
import { badDocuments, goodDocuments } from '../support/documents.ts';

/** The faults that JSON Schema can express: those of single values. */
const EXPRESSIBLE =
  /^(missing|bad-type|bad-value|out-of-range|bad-constraint|bad-version|bad-module-id|bad-address)--/;

/** The faults of single values that JSON Schema (draft 7) cannot express. */
const BEYOND: readonly RegExp[] = [
  // Limits of numbers inside a text, and of UTF-8 bytes.
  /^bad-constraint--above-2-to-the-53/,
  /^bad-value--(component-name-of-256-bytes|ssid-of-33-bytes-in-11-characters|system-max-use-beyond-[-\w]+)/,
  /^bad-value--minimum-release-age-of-eleven-years/,
  // A document without any of its fields: each of them is optional.
  /^missing--(every-field|fields-of-a-policy)/,
  // Unicode categories, which draft 7 patterns support only in some validators.
  /^bad-value--component-name-with-an-override/,
  // Time zones, and the meaning of the five parts of a cron time.
  /^bad-value--time-zone-(is-misspelled|is-a-path)/,
  /^bad-value--window-start-(minute-|hour-|day-|month-|weekday-|on-the-|with-a-question|with-letters)/,
  // Days of the calendar, and fields that depend on each other.
  /^(bad-value|out-of-range)--blackout-(on-30-february|of-a-day-and-a-span|ends-before|of-two-years|in-a-zone)/,
  // The first item of a list.
  /^bad-value--command-(is-absolute|leaves-the-package)/,
  // Which headers need a reference, and which are the connection's.
  /^bad-value--logs-header-(contains-a-token|of-the-connection)/,
  // Points of a curve, and two items of a list with one name.
  /^bad-value--npm-(key-mistyped|keyid-twice)/,
  // Addresses and hosts, after their first characters.
  /^bad-address--pin-url-(address-of|link-local|metadata|plain-http|port-)/,
  /^bad-address--registry-(?!is-empty)/,
  /^bad-address--logs-endpoint-(link-local|plain-http|with-user-info)/,
  /^bad-value--allow-http-(is-an-address|is-a-star|is-ipv6|with-user-info)/,
];

/** Notes the path of each field in a schema with its description. Values of `if` only distinguish two forms. */
function note(schema: unknown, path: string, found: Map<string, unknown>): void {
  if (typeof schema !== 'object' || schema === null) return;
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'if') continue;
    if (key !== 'properties') note(value, path, found);
    else {
      for (const [name, field] of Object.entries(Object(value))) {
        found.set(`${path}/${name}`, Object(field).description);
        note(field, `${path}/${name}`, found);
      }
    }
  }
}

function descriptionsIn(kind: DocumentKind): ReadonlyMap<string, unknown> {
  const found = new Map<string, unknown>();
  note(jsonSchemaOf(kind), '', found);
  return found;
}

describe.each(DOCUMENT_KINDS)('[D317] the schema of a %s', (kind) => {
  const fields = [...descriptionsIn(kind)];

  it('has an $id of its own', () => {
    expect(jsonSchemaOf(kind)['$id']).toBe(`urn:modreg:schema:${kind}`);
  });

  it('describes every field in a sentence', () => {
    expect(fields.length).toBeGreaterThan(30);
    const without = fields.filter(
      ([, description]) => typeof description !== 'string' || !/^.{10,}\.$/.test(description),
    );
    expect(without).toEqual([]);
  });
});

it('[D317] fields of one name have the description of their place', () => {
  const [machine, policy] = [descriptionsIn('machine'), descriptionsIn('policy')];
  expect([
    machine.get('/components/name'),
    machine.get('/modules/name'),
    machine.get('/agent/platform-server/attributes/fast_start'),
    policy.get('/modules/on_yank') === policy.get('/on_yank'),
  ]).toEqual([
    'Unique: up to 255 bytes, printable, no slash, no white space at either end.',
    'Unique, usually <namespace>_<name>. The policy refers to it.',
    'Whether it starts without waiting for the network and the first update check.',
    true,
  ]);
});

describe.each(DOCUMENT_KINDS)('the schema of a %s', (kind) => {
  const validate = new Ajv({ allErrors: true, strict: true, strictTypes: false }).compile(
    jsonSchemaOf(kind),
  );
  const bad = badDocuments().filter((document) => document.kind === kind);
  const parsed = bad.filter(({ name }) => !/^(bad-json|too-large)--/.test(name));

  it.each(parsed.map(({ name, bytes }) => [name, bytes] as const))(
    'refuses %s if it can express the fault',
    (name, bytes) => {
      const { value } = readJson(bytes.toString());
      const isExpressible = EXPRESSIBLE.test(name) && !BEYOND.some((pattern) => pattern.test(name));
      expect(validate(value)).toBe(!isExpressible);
    },
  );

  it('allows every good document', () => {
    const good = goodDocuments().filter((document) => document.kind === kind);
    const refused = good.filter(({ bytes }) => !validate(readJson(bytes.toString()).value));
    expect(refused.map(({ name }) => name)).toEqual([]);
  });
});
