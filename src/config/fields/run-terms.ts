import {
  parseReadiness,
  parseRestartStatus,
  type Readiness,
} from '../../core/machine/readiness.ts';
import { quote } from '../../core/text/quote.ts';
import { badType, badValue } from '../fault.ts';
import { DURATION_PATTERN, readDuration } from './duration.ts';
import { parsed, parsedText, type Schema } from './fields.ts';

const USER = /^[A-Za-z_][A-Za-z0-9_-]{0,31}$/;
/** Longer than any path that Linux opens. */
const LONGEST_WORD = 4096;
const SECOND = 1000;

/** A duration that is not zero, in milliseconds. */
export const durationFromOneSecond: Schema<number> = parsedText(
  'a duration such as 5s',
  (text) => {
    const ms = readDuration(text);
    if (!ms.ok || ms.value >= SECOND) return ms;
    return { ok: false, error: badValue(`${quote(text)} is too short, expected 1s or more`) };
  },
  { pattern: `^(?!0+[smhd])${DURATION_PATTERN.slice(1)}` },
);

/** The name of a user of the system. */
export const userName: Schema<string> = parsedText(
  'the name of a user',
  (text) => {
    if (USER.test(text)) return { ok: true, value: text };
    const message = `${quote(text)} is not the name of a user, expected letters, digits, _ and -`;
    return { ok: false, error: badValue(message) };
  },
  { pattern: USER.source },
);

const LOCAL = '(?:127(?:\\.\\d{1,3}){3}|localhost|\\[::1\\]):[1-9]\\d{0,4}';

/** How a module shows that it works. */
export const readiness: Schema<Readiness> = parsedText(
  'how the module shows that it is ready',
  (text) => {
    const read = parseReadiness(text);
    return read.ok ? read : { ok: false, error: badValue(read.error) };
  },
  { pattern: `^(?:none|socket|http://${LOCAL}(?:[/?#].*)?|tcp://${LOCAL})$` },
);

/** Where a module says whether it may be stopped. */
export const restartStatus: Schema<string> = parsedText(
  'an address of this machine',
  (text) => {
    const read = parseRestartStatus(text);
    return read.ok ? read : { ok: false, error: badValue(read.error) };
  },
  { pattern: `^http://${LOCAL}(?:[/?#].*)?$` },
);

const COMMAND = 'a list of texts: a path in the package, then arguments';
/** A relative path without empty parts, `.` and `..`. */
const PATH_IN_PACKAGE = /^(?!\.{1,2}(?:\/|$))[^/\u0000]+(?:\/(?!\.{1,2}(?:\/|$))[^/\u0000]+)*$/;
const ARGUMENT = /^[^\u0000]*$/;

/** A program in a package, and its arguments. */
export const command: Schema<readonly [string, ...string[]]> = parsed(
  (value) => {
    if (!Array.isArray(value) || !value.every((word) => typeof word === 'string')) {
      return { ok: false, error: badType(value, COMMAND) };
    }
    const [path, ...rest] = value;
    if (path === undefined || path.length > LONGEST_WORD || !PATH_IN_PACKAGE.test(path)) {
      const found =
        path === undefined ? 'the list is empty' : `${quote(path)} is not a path in the package`;
      const message = `${found}, expected a list such as ["bin/lidar", "--quiet"]`;
      return { ok: false, error: badValue(message) };
    }
    if (rest.every((word) => word.length <= LONGEST_WORD && ARGUMENT.test(word))) {
      return { ok: true, value: [path, ...rest] };
    }
    const message = `an argument contains a NUL character or is longer than ${LONGEST_WORD} characters`;
    return { ok: false, error: badValue(message) };
  },
  {
    type: 'array',
    minItems: 1,
    items: { type: 'string', maxLength: LONGEST_WORD, pattern: ARGUMENT.source },
  },
);
