import { describe, expect, it } from 'vitest';
import { maskSecrets, unmaskSecrets } from '../../src/config/masked-secrets.ts';

const ORIGINAL = `{ // psk of the hall
  "agent": { "agent-provisioning": { "attributes": { "hotspot_password": "\\u0068unter22",
    "networks": [ { "ssid": "hall", "psk": "correct horse" }, { "ssid": "yard", "psk": "battery staple" } ] } } }
}`;
const MASKED = `{ // psk of the hall
  "agent": { "agent-provisioning": { "attributes": { "hotspot_password": "•••",
    "networks": [ { "ssid": "hall", "psk": "•••" }, { "ssid": "yard", "psk": "•••" } ] } } }
}`;

describe('[T140] secrets of a document', () => {
  it.each([
    [ORIGINAL, MASKED],
    ['{"psk": ""}', '{"psk": ""}'],
    ['{"a": {"api_key": 12345678}}', '{"a": {"api_key": "•••"}}'],
    [
      '{"auth": {"user": "a", "all": [1, true, null]}}',
      '{"auth": {"user": "•••", "all": ["•••", true, null]}}',
    ],
    [
      '{"modules": [{"env": {"LEVEL": "debug", "A": "${environment.A}", "B": "x${environment.B}"}}]}',
      '{"modules": [{"env": {"LEVEL": "•••", "A": "${environment.A}", "B": "•••"}}]}',
    ],
    ['{"env": {"LEVEL": "debug"}}', '{"env": {"LEVEL": "debug"}}'],
    ['{"pin_url": "https://x.example/a?sig=1"}', '{"pin_url": "•••"}'],
    ['{"u": "https://me@x.example/a"}', '{"u": "•••"}'],
    ['{"u": "https://x.example/a#sha256=ab"}', '{"u": "https://x.example/a#sha256=ab"}'],
    ['{"u": "https://x.example/a#frag"}', '{"u": "•••"}'],
  ])('%s is shown as %s', (text, masked) => {
    expect(maskSecrets(text)).toBe(masked);
    expect(unmaskSecrets(masked, text)).toMatchObject({ text, misplaced: [] });
  });

  it.each([
    [
      'another entry at the place of a network',
      MASKED.replace('{ "ssid": "hall", "psk": "•••" }, ', ''),
      '/agent/agent-provisioning/attributes/networks/0/psk',
      3,
      '"•••" stands for the secret of the entry that was here, and this is another one: enter its secret',
    ],
    [
      'a network with another name',
      MASKED.replace('"yard"', '"field"'),
      '/agent/agent-provisioning/attributes/networks/1/psk',
      3,
      '"•••" stands for the secret of the entry that was here, and this is another one: enter its secret',
    ],
    [
      'a value that is no secret',
      MASKED.replace('"hall"', '"•••"'),
      '/agent/agent-provisioning/attributes/networks/0/ssid',
      3,
      '"•••" stands for a secret, and there was none here: enter the value',
    ],
    [
      'a part of a value',
      MASKED.replace('"•••"', '"•••1"'),
      '/agent/agent-provisioning/attributes/hotspot_password',
      2,
      '"•••" stands for a whole secret, and this value contains it',
    ],
  ])('%s is an error', (_title, masked, ...place) => {
    const [path, line, message] = place;
    const { misplaced, text } = unmaskSecrets(masked, ORIGINAL);
    expect(misplaced[0]).toMatchObject({ path, line, message });
    expect(text).toContain('•••');
  });

  it('do not change the columns of a finding', () => {
    const { text, columnOf } = unmaskSecrets(MASKED, ORIGINAL);
    const [line, original] = [MASKED.split('\n')[2] ?? '', text.split('\n')[2] ?? ''];
    for (const word of ['"hall"', '"psk"', '"yard"', '"battery', '] }']) {
      const column = original.indexOf(word) + 1;
      const shown = word === '"battery' ? line.lastIndexOf('"•••"') : line.indexOf(word);
      expect([word, columnOf({ line: 3, column })]).toEqual([word, shown + 1]);
    }
  });
});

const KEEPS = '"•••" keeps a secret while all of its entry but "version" stays as it was, and';
const ENTRIES = `{
  "components": [{"name": "cam", "model": "a:cam:v1", "attributes": {"url": "https://x.example", "api_key": "k1"}}],
  "modules": [
    {"type": "registry", "name": "cam", "module_id": "a:cam", "version": "1.*", "env": {"TOKEN": "t1", "LEVEL": "info"}, "args": ["-v"]},
    {"type": "local", "name": "own", "module_id": "a:own", "executable_path": "/opt/own", "env": {"TOKEN": "t2"}}
  ]
}`;

describe('[T281] a secret of an entry', () => {
  const shown = maskSecrets(ENTRIES);

  it.each([
    ['another version', '"1.*"', '"2.*"'],
    ['no version', '"version": "1.*", ', ''],
    ['other spaces', '"args": ["-v"]', '"args":  [ "-v" ]'],
    [
      'another order of fields',
      '"type": "registry", "name": "cam"',
      '"name": "cam", "type": "registry"',
    ],
  ])('stays with %s', (_title, from, to) => {
    const { text, misplaced } = unmaskSecrets(shown.replace(from, to), ENTRIES);
    expect([text, misplaced]).toEqual([ENTRIES.replace(from, to), []]);
  });

  const CAM = ['/modules/0/env/TOKEN', '/modules/0/env/LEVEL'];
  const MODEL = '/components/0/attributes/api_key';
  it.for([
    ['another type', '"registry"', '"local"', [MODEL, ...CAM], '"type"'],
    [
      'a program',
      '"args"',
      '"executable_path": "/usr/bin/env", "args"',
      [MODEL, ...CAM],
      '"executable_path"',
    ],
    ['another program', '/opt/own', '/usr/bin/env', ['/modules/1/env/TOKEN'], '"executable_path"'],
    ['other arguments', '["-v"]', '["-v", "--dump"]', [MODEL, ...CAM], '"args"'],
    ['a log level', '"args"', '"log_level": "debug", "args"', [MODEL, ...CAM], '"log_level"'],
    [
      'one more variable',
      '{"TOKEN": "•••", "LEVEL"',
      '{"LD_PRELOAD": "/tmp/x", "TOKEN": "•••", "LEVEL"',
      [MODEL, ...CAM],
      '"env"',
    ],
    [
      'another value of a variable',
      '"LEVEL": "•••"',
      '"LEVEL": "debug"',
      [MODEL, '/modules/0/env/TOKEN'],
      '"env"',
    ],
    ['another address', 'https://x.example', 'https://evil.example', [MODEL], '"attributes"'],
    ['another model', 'a:cam:v1', 'a:own:v1', [MODEL], '"model"'],
    ['a field that is there twice', '"args"', '"type": "local", "args"', [MODEL, ...CAM], '"type"'],
  ] as const)('is typed again with %s', ([, from, to, places, changed]) => {
    const { misplaced } = unmaskSecrets(shown.replace(from, to), ENTRIES);
    expect(misplaced.map(({ path }) => path)).toEqual(places);
    const message = `${KEEPS} ${changed} differs: enter the secret again`;
    expect(misplaced.at(-1)?.message).toBe(message);
  });

  it('is typed again when another program gets it, too', () => {
    const edited = shown.replace('"a:own"', '"a:cam"');
    const [first] = unmaskSecrets(edited, ENTRIES).misplaced;
    const message = `${KEEPS} the module of its model differs: enter the secret again`;
    expect(first).toMatchObject({ path: MODEL, message });
  });

  it.each([
    ['duplicated', shown.replace('"modules": [', `"modules": [${entryOf(shown, '"own"')},`)],
    ['swapped', shown.replace('"cam", "module_id": "a:cam"', '"own", "module_id": "a:own"')],
    ['copied into another field', shown.replace('"args": ["-v"]', '"args": ["•••"]')],
    ['renamed', shown.replace('"TOKEN": "•••", "LEVEL"', '"OTHER": "•••", "LEVEL"')],
  ])('is typed again when it is %s', (_title, edited) => {
    const { text, misplaced } = unmaskSecrets(edited, ENTRIES);
    expect([misplaced.length > 0, text.includes('"t1"')]).toEqual([true, false]);
  });
});

function entryOf(text: string, name: string): string {
  return text.split('\n').find((line) => line.includes(`"name": ${name}`)) ?? '';
}
