import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inserted, newModule } from '../../src/config/new-module.ts';
import { readJson } from '../../src/config/text/json-document.ts';
import { moduleId } from '../support/ask.ts';
import { RUNS } from '../support/runs.ts';

const CAM = { name: 'acme_cam', moduleId: moduleId('acme:cam'), version: '1.3.0' };
const FIELDS = { type: 'registry', name: 'acme_cam', module_id: 'acme:cam', version: '1.3.0' };
const COMPACT = JSON.stringify(FIELDS);

function withCam(text: string): string {
  return inserted(text, newModule(text, CAM));
}

/** The entry on lines of its own, with these indentations. */
function broken(indent: string, unit: string, lineEnd = '\n'): string {
  return JSON.stringify(FIELDS, undefined, unit).replaceAll('\n', lineEnd + indent);
}

describe('an added module is written like what is before it [D45]', () => {
  it.each<[string, string, string]>([
    [
      'minified',
      '{"components":[],"modules":[{"name":"x"}]}\n',
      `{"components":[],"modules":[{"name":"x"},${COMPACT}]}\n`,
    ],
    ['minified, without entries', '{"modules":[]}', `{"modules":[${COMPACT}]}`],
    ['minified, without modules', '{"agent":{}}', `{"agent":{},"modules":[${COMPACT}]}`],
    [
      'on one line with spaces',
      '{"a": 1, "modules": []}',
      '{"a": 1, "modules": [{"type": "registry", "name": "acme_cam", "module_id": "acme:cam", "version": "1.3.0"}]}',
    ],
    [
      'on one line with spaces in the brackets',
      '{ "modules": [{ "name": "x" }] }',
      '{ "modules": [{ "name": "x" }, { "type": "registry", "name": "acme_cam", "module_id": "acme:cam", "version": "1.3.0" }] }',
    ],
    [
      'an entry a line',
      '{\n  "modules": [\n    {"name":"x"}\n  ]\n}\n',
      `{\n  "modules": [\n    {"name":"x"},\n    ${COMPACT}\n  ]\n}\n`,
    ],
    [
      'a field a line',
      '{\n    "modules": [\n        {\n            "name": "x"\n        }\n    ]\n}',
      `{\n    "modules": [\n        {\n            "name": "x"\n        },\n        ${broken('        ', '    ')}\n    ]\n}`,
    ],
    [
      'with tabs and CRLF',
      '{\r\n\t"modules": [\r\n\t\t{\r\n\t\t\t"name": "x"\r\n\t\t}\r\n\t]\r\n}\r\n',
      `{\r\n\t"modules": [\r\n\t\t{\r\n\t\t\t"name": "x"\r\n\t\t},\r\n\t\t${broken('\t\t', '\t', '\r\n')}\r\n\t]\r\n}\r\n`,
    ],
    [
      'with CR, as old files have it',
      '{\r  "modules": []\r}',
      `{\r  "modules": [\r    ${broken('    ', '  ', '\r')}\r  ]\r}`,
    ],
    [
      'with brackets on the lines of others',
      '{\n  "modules": [{\n    "name": "x"\n  }]\n}',
      `{\n  "modules": [{\n    "name": "x"\n  }, ${broken('  ', '  ')}]\n}`,
    ],
    [
      'without entries',
      '{\n  "modules": [],\n  "agent": {}\n}',
      `{\n  "modules": [\n    ${broken('    ', '  ')}\n  ],\n  "agent": {}\n}`,
    ],
    [
      'without modules',
      '{\n  "components": []\n}\n',
      `{\n  "components": [],\n  "modules": [\n    ${broken('    ', '  ')}\n  ]\n}\n`,
    ],
    ['without anything', '{\n}\n', `{\n  "modules": [\n    ${broken('    ', '  ')}\n  ]\n}\n`],
    [
      'without indentation',
      '{"agent": {}, "modules": [\n{"name":"x"}\n]}',
      `{"agent": {}, "modules": [\n{"name":"x"},\n${COMPACT}\n]}`,
    ],
  ])('%s', (_, text, expected) => {
    expect(withCam(text)).toBe(expected);
  });
});

describe('a comment stays with what it is about [D45]', () => {
  it.each<[string, string, string]>([
    [
      'after the last entry, and before the end',
      '{\n  "modules": [\n    {"name":"x"} /* a */ // the lidar\n    // the end\n  ]\n}',
      `{\n  "modules": [\n    {"name":"x"}, /* a */ // the lidar\n    ${COMPACT}\n    // the end\n  ]\n}`,
    ],
    [
      'after the last entry, whose line has others',
      '{\n  "modules": [{"name":"x"} // the lidar\n  ]\n}',
      `{\n  "modules": [{"name":"x"}, // the lidar\n  ${COMPACT}\n  ]\n}`,
    ],
    [
      'on the line of a minified document',
      '{"modules":[{"name":"x"} /* // */ ]}',
      `{"modules":[{"name":"x"} /* // */,${COMPACT} ]}`,
    ],
    [
      'in place of an entry',
      '{\n  "modules": [ // none yet\n  ]\n}',
      `{\n  "modules": [ // none yet\n    ${broken('    ', '  ')}\n  ]\n}`,
    ],
    ['in a minified list', '{"modules":[/* none */]}', `{"modules":[/* none */ ${COMPACT}]}`],
    [
      'after the last field',
      '{\n  "agent": {} // a\n  // b\n}',
      `{\n  "agent": {}, // a\n  "modules": [\n    ${broken('    ', '  ')}\n  ]\n  // b\n}`,
    ],
  ])('%s', (_, text, expected) => {
    expect(withCam(text)).toBe(expected);
  });
});

const trivia = fc
  .array(
    fc.constantFrom(
      ' ',
      '\t',
      '\n',
      '\r\n',
      '\r',
      '/**/',
      '/* "a": [ // */',
      '// ,}]\n',
      '/*\n*/',
      '//\r\n',
    ),
    { maxLength: 4 },
  )
  .map((parts) => parts.join(''));

/** A list or an object with white space and comments between its members. */
function container(
  open: string,
  members: fc.Arbitrary<string>[],
  close: string,
): fc.Arbitrary<string> {
  const spaced = members.map((member) => fc.tuple(member, trivia, trivia));
  return fc.tuple(trivia, ...spaced).map(([first, ...rest]) => {
    const written = rest.map(([member, before, after], place) =>
      place === rest.length - 1 ? member + before : `${member}${before},${after}`,
    );
    return open + first + written.join('') + close;
  });
}

/** JSON texts of `value` with white space and comments in any place. */
function spelled(value: unknown): fc.Arbitrary<string> {
  if (Array.isArray(value)) return container('[', value.map(spelled), ']');
  if (typeof value !== 'object' || value === null) return fc.constant(JSON.stringify(value));
  const members = Object.entries(value).map(([key, member]) =>
    fc
      .tuple(trivia, spelled(member))
      .map(([space, text]) => `${JSON.stringify(key)}:${space}${text}`),
  );
  return container('{', members, '}');
}

const machines = fc
  .record(
    {
      agent: fc.jsonValue({ maxDepth: 2 }),
      modules: fc.array(fc.record({ name: fc.string(), env: fc.jsonValue({ maxDepth: 1 }) }), {
        maxLength: 3,
      }),
      components: fc.array(fc.jsonValue({ maxDepth: 1 }), { maxLength: 2 }),
    },
    { requiredKeys: [] },
  )

  .map((value) => JSON.stringify(value))
  .filter((text) => !/__proto__|constructor|prototype/.test(text))
  // As JSON has it: without -0.
  .map((text) => JSON.parse(text) as { readonly modules?: readonly unknown[] });

it('in any document, nothing but the added module changes [D45]', () => {
  const documents = machines.chain((value) =>
    fc.tuple(fc.constant(value), trivia, spelled(value), trivia),
  );
  fc.assert(
    fc.property(documents, ([value, before, text, after]) => {
      const document = before + text + after;
      const insertions = newModule(document, CAM);
      const read = readJson(inserted(document, insertions));
      expect([read.value, read.isWhole, read.findings]).toEqual([
        { ...value, modules: [...(value.modules ?? []), FIELDS] },
        true,
        [],
      ]);
    }),
    RUNS,
  );
});

it('takes linear time in a long line and in many lines', () => {
  const long = ' '.repeat(2_000_000);
  for (const text of [
    `{"modules":[${long}]}`,
    `{"a":"${long}","modules":[{}${long}]}`,
    `{"modules":[{}${'/**/'.repeat(500_000)}]}`,
    `{"modules":[${'\n'.repeat(2_000_000)}]}`,
  ]) {
    expect(withCam(text).length).toBeGreaterThan(text.length);
  }
});
