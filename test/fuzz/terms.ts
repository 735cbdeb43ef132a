import { BlockList, isIPv4, isIPv6 } from 'node:net';
import fc from 'fast-check';
import { readUpdatePolicy } from '../../src/config/index.ts';
import { readDeployed } from '../../src/core/index.ts';
import { readMaintenanceAnswer } from '../../src/core/decision/timing-policies.ts';
import { describeDuration, parseDuration } from '../../src/core/text/duration.ts';
import { reportedText } from '../../src/core/explanation/decision-words.ts';
import { parseRegistryAddress } from '../../src/registry/address.ts';
import { formatTime, isTime, parseTime } from '../../src/core/text/rfc3339.ts';
import { isExposed } from '../../src/core/text/web-address.ts';
import { httpRegistry } from '../../src/registry/http-registry.ts';
import { printed } from '../support/documents.ts';
import { checkDocument } from '../../src/config/read-document.ts';
import { notOneLine, target, type Target } from './target.ts';
import { near, nonTexts, orNonText } from './text.ts';

const DAY_MS = 86_400_000;
const LONGEST_MS = 3660 * DAY_MS;
const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: DAY_MS };

function judgeDuration(text: string): string | undefined {
  const read = parseDuration(text);
  const ms = /^\d{1,9}[smhd]$/.test(text)
    ? Number.parseInt(text, 10) * (UNITS[text.slice(-1)] ?? 0)
    : Infinity;
  if (!read.ok) return ms > LONGEST_MS ? notOneLine([read.error]) : 'refused';
  if (read.value !== ms || ms > LONGEST_MS) return `read as ${read.value} ms`;
  const words = describeDuration(read.value);
  return /^\d+ (d|h|min|s)( \d+ (h|min|s))?$/.test(words) ? undefined : `is described as ${words}`;
}

const RFC3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;

function judgeTime(text: unknown): string | undefined {
  const read = parseTime(text);
  if (!read.ok) return notOneLine([read.error.message, read.error.expected]);
  if (typeof text !== 'string' || !RFC3339.test(text)) return `accepted ${String(text)}`;
  if (!Number.isInteger(read.value) || !isTime(read.value)) return `read as ${read.value}`;
  const shown = formatTime(read.value);
  // A year beyond four digits has no RFC 3339 text.
  if (/^[+-]/.test(shown)) return undefined;
  const again = parseTime(shown);
  return again.ok && again.value === read.value ? undefined : `is formatted as ${shown}`;
}

/** The credentials of an address, which no output may repeat. */
const USER = 'hunter2';

/** Whether `words` repeat the credentials of `text`. */
function leaksUser(text: unknown, words: string): boolean {
  if (typeof text !== 'string' || !words.includes(USER)) return false;
  return text.includes(`${USER}@`) && text.split(USER).length === 2;
}

/** Addresses that no request may go to, in their normalized spellings. */
const FORBIDDEN = new BlockList();
for (const [network, bits] of [
  ['169.254.0.0', 16],
  ['0.0.0.0', 8],
  ['100.100.100.200', 32],
  ['168.63.129.16', 32],
] as const) {
  FORBIDDEN.addSubnet(network, bits, 'ipv4');
  for (const prefix of ['::', '::ffff:', '::ffff:0:', '64:ff9b::']) {
    const isUnused = prefix === '::' && network === '0.0.0.0';
    if (!isUnused) FORBIDDEN.addSubnet(`${prefix}${network}`, 96 + bits, 'ipv6');
  }
}
FORBIDDEN.addSubnet('fe80::', 10, 'ipv6');
FORBIDDEN.addSubnet('2002:a9fe::', 32, 'ipv6');
FORBIDDEN.addAddress('fd00:ec2::254', 'ipv6');
FORBIDDEN.addAddress('::', 'ipv6');

function isForbidden(hostname: string): boolean {
  const host = hostname.replace(/\.$/, '').replace(/^\[|\]$/g, '');
  if (isIPv4(host)) return FORBIDDEN.check(host, 'ipv4');
  if (isIPv6(host)) return FORBIDDEN.check(host, 'ipv6');
  return /^metadata\.(google\.internal|goog)$/.test(host);
}

function judgeAddress(text: string): string | undefined {
  const read = parseRegistryAddress(text);
  if (!read.ok) {
    return leaksUser(text, read.error) ? `printed ${read.error}` : notOneLine([read.error]);
  }
  if (!('url' in read.value)) {
    return /\p{Cc}|:\/\//u.test(read.value.path) ? `is read as ${read.value.kind}` : undefined;
  }
  const { url } = read.value;
  if (!/^https?:$/.test(url.protocol) || url.username + url.password !== '') {
    return `accepts ${url.href}`;
  }
  if (isForbidden(url.hostname)) return `accepts the host ${url.hostname}`;
  isExposed(url, ['registry.example', 'registry.example:4870', '[::1]', '%', '']);
  const registry = httpRegistry(read.value);
  return registry.ok
    ? notOneLine([registry.value.from])
    : notOneLine([registry.error.message, registry.error.hint]);
}

function judgeDeployed(reported: unknown): string | undefined {
  readMaintenanceAnswer(reported);
  const deployed = readDeployed(reported);
  const isText = !['none', 'unknown'].includes(deployed.kind);
  if (isText !== (typeof reported === 'string')) return `is read as ${deployed.kind}`;
  const words = reportedText(deployed) ?? '';
  return leaksUser(reported, words) ? `printed ${words}` : notOneLine([words]);
}

const INSTANTS = [Date.parse('2026-03-29T00:59:59Z'), 8e15];

/** The maintenance windows of a policy. croner parses each start. */
function judgeWindow(
  parts: readonly [start: string, duration: string, zone: string],
): string | undefined {
  const [start, duration, time_zone] = parts;
  const bytes = Buffer.from(JSON.stringify({ maintenance: [{ start, duration, time_zone }] }));
  const policy = readUpdatePolicy(bytes);
  if (!policy.ok) {
    const lines = printed(checkDocument(bytes, 'policy'), 'x').split('\n');
    return notOneLine(lines) ?? (policy.errors > 0 ? undefined : 'refused without an error');
  }
  const window = policy.value.terms.window;
  if (!window) return 'no window was read';
  for (const at of INSTANTS) {
    const [since, next] = [window.openSince(at), window.nextOpening(at)];
    const end = window.closing(at);
    if (since !== undefined && !(since <= at)) return `open at ${at} since ${since}`;
    if (next !== undefined && !(next > at)) return `the next opening after ${at} is ${next}`;
    if (end !== undefined && !(end > at)) return `open at ${at} until ${end}`;
  }
  return undefined;
}

const durations = fc.constantFrom('5m', '12h', '7d', '90s', '0s', '3660d', '999999999s', '1d');
const times = fc.constantFrom(
  '2026-11-21T01:02:03Z',
  '2026-02-28t23:59:60.123456789-23:59',
  '0000-01-01T00:00:00+00:00',
  '9999-12-31T23:59:59-23:59',
  '2028-02-29T12:00:00z',
  '1970-01-01T00:00:00.000+05:30',
);
const addresses = fc.constantFrom(
  'https://registry.example/',
  'npm:https://registry.npmjs.org',
  'oci:https://ghcr.io/acme',
  'http://127.0.0.1:4870/v1',
  './registry',
  'C:/registry',
  'registry.db',
  'https://10.0.0.1:8443',
  `https://${USER}@registry.example/`,
  `npm:https://robot:${USER}@[2001:db8::1]/x?y#z`,
  'http://169.254.169.254/',
  'https://[::ffff:a9fe:a9fe]/',
  'https://0x7f.1/',
  'https://[fe80::1]',
);
const ADDRESS_TOKENS = [
  'https://',
  'http:',
  'npm:',
  'oci:',
  '//',
  '@',
  `${USER}@`,
  '[',
  ']',
  '::',
  ':',
  'ffff:',
  '/v1',
  '169.254.169.254',
  '0251.0376.0251.0376',
  '0xa9fea9fe',
  '2852039166',
  '169。254',
  '①',
  '0:',
  'a9fe:a9fe',
  '64:ff9b::',
  '2002:',
  'metadata.google.internal',
  'localhost',
  '.',
  'xn--',
  '\\',
];
const reports = fc.oneof(addresses, fc.constantFrom('1.2.3', '1.2.3-rc.1+b', 'reload-1', ''));
const starts = fc.constantFrom(
  '0 2 * * *',
  '*/5 * * * *',
  '0 0 29 2 *',
  '30 1 31 1,3 MON-FRI',
  '59 23 L * 7',
  '0 3 * JAN SUN#1',
);
const zones = fc.constantFrom(
  'UTC',
  'Europe/Berlin',
  'Australia/Lord_Howe',
  'US/Pacific',
  '+05:30',
);
const CRON_TOKENS = [
  '*',
  '/',
  '-',
  ',',
  'L',
  'W',
  '#',
  '?',
  '@daily',
  '60',
  '31',
  '7',
  'MON',
  'JAN',
];

export const TERMS: readonly Target[] = [
  target({
    name: 'duration',
    faults: 'T6',
    perMille: 30,
    inputs: near(durations, ['s', 'm', 'h', 'd', 'ms', 'w', '9'.repeat(20), '0', '1h30m']),
    judge: judgeDuration,
  }),
  target({
    name: 'time',
    faults: 'T22',
    perMille: 50,
    inputs: orNonText(near(times, ['T', 'Z', ':60', '.', '24', '00', '-', '+14:00', '+', '12345'])),
    judge: judgeTime,
  }),
  target({
    name: 'registry-address',
    faults: 'T14',
    perMille: 80,
    inputs: near(addresses, ADDRESS_TOKENS),
    judge: judgeAddress,
  }),
  target({
    name: 'deployed',
    faults: 'T35 T64',
    perMille: 20,
    inputs: fc.oneof(
      { weight: 20, arbitrary: near(reports, ADDRESS_TOKENS) },
      { weight: 1, arbitrary: nonTexts },
    ),
    judge: judgeDeployed,
  }),
  target({
    name: 'window',
    faults: 'T51',
    perMille: 10,
    inputs: fc.tuple(
      near(starts, CRON_TOKENS),
      fc.oneof({ weight: 9, arbitrary: durations }, { weight: 1, arbitrary: near(durations) }),
      fc.oneof({ weight: 9, arbitrary: zones }, { weight: 1, arbitrary: near(zones) }),
    ),
    judge: judgeWindow,
  }),
];
