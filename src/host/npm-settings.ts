import { join } from 'node:path';
import { modeOpenToOthers } from '../config/file-mode.ts';
import { excerpt, quote } from '../core/text/quote.ts';
import type { Result } from '../core/index.ts';
import { RegistryError } from '../registry/registry-error.ts';
import type { Problem } from '../base/problem.ts';
import type { World } from '../base/world.ts';
import { existsAt, readRegularFile } from './document-file.ts';
import { readNpmrc, type Npmrc, type Setting } from './npmrc.ts';

/** The user's settings of npm. */
interface NpmSettings {
  readonly path: string;
  readonly npmrc: Npmrc;
  /** The mode of the file, if others may read it. */
  readonly open: string | undefined;
}

/** Returns the settings. The error is that they cannot be read. A failed read is repeated on the next call. */
export type NpmSettingsOf = () => Result<NpmSettings, Problem>;

const LARGEST_FILE = 64 * 1024;
/** Names no settings, as for npm. */
const NONE = '/dev/null';

/** Reads `.npmrc` at home, or the file of `NPM_CONFIG_USERCONFIG`, once. */
export function npmSettingsIn(environment: World['environment']): NpmSettingsOf {
  let settings: NpmSettings | undefined;
  return () => {
    if (settings) return { ok: true, value: settings };
    const path = pathIn(environment);
    if (path === NONE) {
      return { ok: true, value: { path, npmrc: readNpmrc('', environment), open: undefined } };
    }
    const file = readRegularFile(path, LARGEST_FILE);
    if (!file.ok) return file;
    const { mode = 0, bytes } = file.value;
    if (bytes.length > LARGEST_FILE) return { ok: false, error: tooLarge(path) };
    const npmrc = readNpmrc(Buffer.from(bytes).toString(), environment);
    settings = { path, npmrc, open: modeOpenToOthers(mode) };
    return { ok: true, value: settings };
  };
}

/** npm sets the variable in lower case for each of its scripts, whether that file exists or not. */
function pathIn({
  HOME,
  NPM_CONFIG_USERCONFIG: named,
  npm_config_userconfig: ofScript,
}: World['environment']): string {
  if (named) return named;
  const path = ofScript || (HOME ? join(HOME, '.npmrc') : NONE);
  return existsAt(path) ? path : NONE;
}

function tooLarge(path: string): Problem {
  const message = `the file ${quote(path)} has more than ${LARGEST_FILE} bytes`;
  return { severity: 'error', kind: 'unreadable-file', message };
}

/**
 * The address of the registry that the settings name for a scope, or for all others if it is empty. Throws a RegistryError if the settings say one and
 * it is not known: another registry may have packages of that scope from somebody else. (T510)
 */
export function npmRegistriesIn(
  environment: World['environment'],
): (scope: string) => string | undefined {
  const settings = npmSettingsIn(environment);
  return (scope) => {
    const read = settings();
    if (!read.ok) throw unreadable(scope, read.error.message, environment);
    const setting = read.value.npmrc.registryOf(scope);
    if (setting && setting.unset.length > 0) throw unset(scope, setting, read.value.path);
    return setting?.value;
  };
}

function unreadable(
  scope: string,
  message: string,
  { NPM_CONFIG_USERCONFIG: named }: World['environment'],
): RegistryError {
  const what = named ? 'correct or unset NPM_CONFIG_USERCONFIG' : 'make .npmrc readable';
  const hint = `${what}, or name the registry itself: npm:https://host/path`;
  return new RegistryError('unreadable-file', `${message}, which may name ${of(scope)}`, { hint });
}

function unset(scope: string, setting: Setting, path: string): RegistryError {
  const { line, variable, unset: names } = setting;
  const place = variable === undefined ? `line ${line} of ${quote(path)}` : excerpt(variable);
  const message = `${of(scope)} is not known: ${place} has ${unsetWords(names)}`;
  const hint = `set ${wordsOf(names)}, or write the address into that ${variable === undefined ? 'line' : 'variable'}`;
  return new RegistryError('bad-address', message, { hint });
}

function of(scope: string): string {
  return `the registry of ${scope === '' ? 'all packages without one of their scope' : excerpt(scope)}`;
}

/** `${ACME_TOKEN}, which is not set`. */
function unsetWords(names: readonly string[]): string {
  const variables = names.map((name) => excerpt(`\${${name}}`)).join(' and ');
  return `${variables}, which ${names.length === 1 ? 'is' : 'are'} not set`;
}

export function wordsOf(names: readonly string[]): string {
  return names.map((name) => excerpt(name)).join(' and ');
}
