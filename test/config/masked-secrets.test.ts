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
