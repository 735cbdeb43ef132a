import { appendFileSync, chmodSync, copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../src/registries/index.ts';
import type { RegistryEvent } from '../../src/server/registry-options.ts';
import { readTlsPair, tlsWarnings } from '../../src/server/tls/tls-files.ts';
import { tlsInUse } from '../../src/server/tls/tls-reload.ts';
import { fixture, tlsFiles } from '../support/tls.ts';

type Files = ReturnType<typeof tlsFiles>;

const MIB = 1024 * 1024;
const FROM = Date.parse('2026-11-01T00:00:00Z');
const TO = Date.parse('2026-12-01T00:00:00Z');

/** Replaces both files. */
function replace({ certificate, key }: Files, name: string): void {
  for (const path of [certificate, key]) {
    copyFileSync(fixture(name), path);
    chmodSync(path, 0o600);
  }
}

function nothing(): void {}

/** The event of trouble with a text. */
function kept(text: string): unknown[] {
  return [['certificate-kept', expect.stringContaining(text) as string]];
}

it.each([
  [
    FROM - 1,
    0o600,
    "CERT is not valid before 2026-11-01T00:00:00Z; this machine's clock says 2026-10-31T23:59:59.999Z",
  ],
  [FROM, 0o600, undefined],
  [TO, 0o640, undefined],
  [
    TO + 1,
    0o600,
    "CERT expired at 2026-12-01T00:00:00Z; this machine's clock says 2026-12-01T00:00:00.001Z",
  ],
  [TO, 0o604, 'every user has access to the key KEY, mode 0604: chmod o= it'],
  [TO, 0o602, 'every user has access to the key KEY, mode 0602: chmod o= it'],
  [TO, 0o671, 'every user has access to the key KEY, mode 0671: chmod o= it'],
])('[T80] at %d, with a key of mode %o: %s', (now, mode, expected) => {
  const files = tlsFiles();
  chmodSync(files.key, mode);
  const pair = readTlsPair(files);
  if (!pair.ok) throw new Error(pair.error);
  const found = tlsWarnings(files, { ...pair.value, validFrom: FROM, validTo: TO }, now);
  const certificate = `the certificate "${files.certificate}"`;
  expect(
    found.map((line) => line.replace(certificate, 'CERT').replace(`"${files.key}"`, 'KEY')),
  ).toEqual(expected === undefined ? [] : [expected]);
});

it.each([
  [MIB, undefined],
  [MIB + 1, 'has 1048577 bytes, expected at most 1048576'],
])('[T80] a certificate file of %d bytes', (size, expected) => {
  const files = tlsFiles();
  const bytes = readFileSync(files.certificate);
  writeFileSync(files.certificate, Buffer.concat([bytes, Buffer.alloc(size - bytes.length, '\n')]));
  const pair = readTlsPair(files);
  const error = expected && `the certificate "${files.certificate}" ${expected}`;
  expect(pair.ok ? undefined : pair.error).toBe(error);
});

/** What is logged and used after each of `changes`, a second later. */
function seen(files: Files, ...changes: readonly (() => void)[]): unknown[][] {
  const events: RegistryEvent[] = [];
  const used: unknown[] = [];
  const log = (event: RegistryEvent): void => void events.push(event);
  const { pair, follow } = tlsInUse(files, { clock: systemClock, log });
  const stop = follow(({ cert }) => used.push(cert));
  const results = changes.map((change) => {
    change();
    vi.advanceTimersByTime(999);
    expect([events, used]).toEqual([[], []]);
    vi.advanceTimersByTime(1);
    expect(used.splice(0).every((cert) => cert === pair().cert)).toBe(true);
    return events.splice(0).map((event) => ('text' in event ? [event.kind, event.text] : event));
  });
  stop();
  expect(vi.getTimerCount()).toBe(0);
  return results;
}

describe('[T80] the files are read each second', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
  afterEach(() => void vi.useRealTimers());

  const VALID = expect.stringMatching(/^valid until \d{4}-\d\d-\d\dT[\d:]+Z$/) as string;

  it('and trouble is logged once, and again after another', () => {
    const files = tlsFiles();
    const unreadable = `the key "${files.key}" contains no PEM private key without a passphrase`;
    const spoil = (): void => writeFileSync(files.key, 'none');
    expect(
      seen(
        files,
        nothing,
        spoil,
        nothing,
        () => copyFileSync(fixture('alone'), files.key),
        spoil,
        () => replace(files, 'good'),
        spoil,
      ),
    ).toEqual([
      [],
      kept(unreadable),
      [],
      kept('does not belong to'),
      kept(unreadable),
      [],
      kept(unreadable),
    ]);
  });

  it('and a certificate for the same key is used, and so is another form of the same key', () => {
    const files = tlsFiles();
    const renewed = [['certificate-renewed', VALID]];
    expect(
      seen(
        files,
        () => appendFileSync(files.certificate, '\n'),
        nothing,
        () => appendFileSync(files.key, '\n'),
        nothing,
      ),
    ).toEqual([renewed, [], renewed, []]);
  });

  it('and there is a warning about what is renewed', () => {
    const files = tlsFiles();
    const [first = []] = seen(files, () => replace(files, 'expired'));
    expect(first).toEqual([
      ['certificate-renewed', 'valid until 2021-01-01T00:00:00Z'],
      ['certificate-warning', expect.stringContaining('expired at 2021-01-01T00:00:00Z') as string],
    ]);
  });
});
