import fc from 'fast-check';
import semver from 'semver';
import {
  compareVersions,
  formatConstraint,
  parseConstraint,
  parseModuleId,
  parsePlatform,
  parseVersion,
  type ParseError,
  type Result,
  type Version,
} from '../../src/core/index.ts';
import { mismatch } from '../../src/core/version/constraint.ts';
import type { ParseErrorKind } from '../../src/core/text/parse-error.ts';
import { nameOf, namespaceOf } from '../../src/core/releases/module-id.ts';
import { comparePrecedence } from '../../src/core/version/version-order.ts';
import { constraintTexts, versionTexts } from '../support/arbitrary.ts';
import { notOneLine, target, type Target } from './target.ts';
import { near, orNonText } from './text.ts';

const TOKENS = [
  '.*',
  '*',
  'X',
  'Y',
  '^',
  '~',
  '>=',
  '<',
  '||',
  ' - ',
  ' || ',
  '=',
  'v',
  '-rc.1',
  '+build.1',
  'latest',
  'Latest',
  'latest-with-prerelease',
  '-beta',
  '.x',
  '01',
  '.0',
  '-0',
  '+0',
  '-.',
];
const LONGEST = 256;
const LARGEST = BigInt(Number.MAX_SAFE_INTEGER);

// The pattern of semver.org.
const SEMVER =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?$/;
const BRANCH = /^(0|[1-9]\d*)\.(?:(0|[1-9]\d*)\.)?\*$/;

/** Whether `text` matches `grammar`, is not too long, and has no number above 2^53 - 1. */
function isLegal(text: unknown, grammar: RegExp): boolean {
  if (typeof text !== 'string' || text.length > LONGEST) return false;
  const [whole, ...numbers] = grammar.exec(text) ?? [];
  if (whole === undefined) return false;
  const [major = '0', minor = '0', patch = '0'] = numbers;
  return [major, minor, patch].every((digits) => BigInt(digits) <= LARGEST);
}

/** What is wrong with the details of an error about `input`. */
function wrongError(
  input: unknown,
  { kind, text, position, expected, suggestion, message }: ParseError<ParseErrorKind>,
  wanted: ParseErrorKind,
): string | undefined {
  if (kind !== wanted) return `the error has the kind ${kind}, not ${wanted}`;
  if (typeof input === 'string' && text !== input)
    return `the error quotes ${JSON.stringify(text)}`;
  const isPlace = Number.isInteger(position) && position >= 0 && position <= text.length;
  if (!isPlace) return `the error has the position ${position} of ${text.length}`;
  return notOneLine([message, expected, suggestion]);
}

function wrongVerdict(
  { ok }: Result<unknown, unknown>,
  isRight: boolean,
  text: unknown,
): string | undefined {
  if (ok === isRight) return undefined;
  return `${ok ? 'accepted' : 'refused'} ${fc.stringify(text).slice(0, 300)}`;
}

const SAMPLES = ['0.0.0', '1.2.3', '1.2.3-rc.1', '9.9.9+b'].flatMap((text) => versionsIn([text]));

function versionsIn(texts: readonly unknown[]): Version[] {
  return texts.flatMap((text) => {
    const version = parseVersion(text);
    return version.ok ? [version.value] : [];
  });
}

function judgeConstraint(text: unknown): string | undefined {
  const read = parseConstraint(text);
  const isWord = text === 'latest' || text === 'latest-with-prerelease';
  const wrong = wrongVerdict(read, isWord || isLegal(text, BRANCH) || isLegal(text, SEMVER), text);
  if (wrong !== undefined) return wrong;
  if (!read.ok) return wrongConstraintError(text, read.error);
  if (formatConstraint(read.value) !== text)
    return `is formatted as ${formatConstraint(read.value)}`;
  for (const version of SAMPLES) mismatch(read.value, version);
  return undefined;
}

function wrongConstraintError(
  text: unknown,
  error: ParseError<'bad-constraint'>,
): string | undefined {
  const { position, expected, suggestion } = error;
  if (suggestion !== undefined && !parseConstraint(suggestion).ok) return `suggests ${suggestion}`;
  // The length of a constraint is checked before its content (T5).
  const isLong = typeof text === 'string' && text.length > LONGEST;
  const length = `at most ${LONGEST} characters, not ${isLong ? text.length : 0}`;
  if (isLong && (expected !== length || position !== LONGEST || suggestion !== undefined)) {
    return `the error for ${text.length} characters expects ${expected}, at ${position}`;
  }
  return wrongError(text, error, 'bad-constraint');
}

function judgeVersions(texts: readonly unknown[]): string | undefined {
  for (const text of texts) {
    const read = parseVersion(text);
    const wrong =
      wrongVerdict(read, isLegal(text, SEMVER), text) ??
      (read.ok ? wrongVersion(read.value, text) : wrongError(text, read.error, 'bad-version'));
    if (wrong !== undefined) return wrong;
  }
  return wrongOrder(versionsIn(texts));
}

/** What the semver package parses differently. */
function wrongVersion(version: Version, text: unknown): string | undefined {
  const { major, minor, patch, prerelease, build } = version;
  const theirs = semver.parse(version.text);
  if (version.text !== text || !theirs) return `${version.text} is no version to semver`;
  const parts = [major, minor, patch, prerelease, build].join(' ');
  const others = [
    theirs.major,
    theirs.minor,
    theirs.patch,
    theirs.prerelease.join('.'),
    theirs.build.join('.'),
  ].join(' ');
  return parts === others ? undefined : `${parts} is ${others} to semver`;
}

function wrongOrder(versions: readonly Version[]): string | undefined {
  for (const a of versions) {
    for (const b of versions) {
      const order = Math.sign(compareVersions(a, b));
      const names = `${a.text} and ${b.text}`;
      if (order !== -Math.sign(compareVersions(b, a)) || Number.isNaN(order)) {
        return `no order between ${names}`;
      }
      if ((order === 0) !== (a.text === b.text)) return `${order} between ${names}`;
      // Beyond 2^53 semver compares numbers as text.
      const isExact = !/\d{16}/.test(names);
      if (isExact && Math.sign(comparePrecedence(a, b)) !== semver.compare(a.text, b.text)) {
        return `semver has a different precedence between ${names}`;
      }
      const isBroken = versions.some((c) => {
        return order <= 0 && compareVersions(b, c) <= 0 && compareVersions(a, c) > 0;
      });
      if (isBroken) return `the order is not transitive for ${names}`;
    }
  }
  return undefined;
}

const HALF = '[A-Za-z0-9][A-Za-z0-9_-]{0,62}';
const MODULE_ID = new RegExp(`^${HALF}:${HALF}$`);

function judgeModuleId(text: unknown): string | undefined {
  const read = parseModuleId(text);
  const wrong = wrongVerdict(read, typeof text === 'string' && MODULE_ID.test(text), text);
  if (wrong !== undefined) return wrong;
  if (!read.ok) return wrongError(text, read.error, 'bad-module-id');
  const whole = `${namespaceOf(read.value)}:${nameOf(read.value)}`;
  return whole === text ? undefined : `is split into ${whole}`;
}

const PLATFORM = /^(linux\/)(amd64|x86_64|x64|arm64|aarch64)$/;

function judgePlatform(text: unknown): string | undefined {
  const read = parsePlatform(text);
  const wrong = wrongVerdict(read, typeof text === 'string' && PLATFORM.test(text), text);
  return wrong ?? (read.ok ? undefined : wrongError(text, read.error, 'bad-platform'));
}

const moduleIds = fc.constantFrom(
  'acme:lidar',
  'npm:typescript',
  'a:b',
  `${'n'.repeat(63)}:${'m'.repeat(63)}`,
  '3f2504e0-4f89-11d3-9a0c-0305e82c3301:cam_2',
  'A1_-:0-_',
);
const platforms = fc.constantFrom('linux/amd64', 'linux/arm64', 'linux/x86_64', 'linux/aarch64');

export const GRAMMAR: readonly Target[] = [
  target({
    name: 'constraint',
    faults: 'T1 T2 T3 T4 T5',
    perMille: 70,
    inputs: orNonText(near(constraintTexts, TOKENS)),
    judge: judgeConstraint,
  }),
  target({
    name: 'version',
    faults: 'T29',
    perMille: 70,
    inputs: fc.array(orNonText(near(versionTexts, TOKENS)), { minLength: 1, maxLength: 3 }),
    judge: judgeVersions,
  }),
  target({
    name: 'module-id',
    faults: 'T10',
    perMille: 50,
    inputs: orNonText(near(moduleIds, [':', '::', '-', '_', 'acme', 'n'.repeat(64)])),
    judge: judgeModuleId,
  }),
  target({
    name: 'platform',
    faults: 'T32',
    perMille: 20,
    inputs: orNonText(near(platforms, ['linux', 'any', '/', 'darwin', 'x64', 'arm'])),
    judge: judgePlatform,
  }),
];
