import { join } from 'node:path';
import { modeOpenToOthers } from '../config/file-mode.ts';
import type { World } from '../base/world.ts';
import { existsAt, readRegularFile } from './document-file.ts';
import { readNpmrc, type Npmrc } from './npmrc.ts';

/** The user's settings of npm. */
export interface NpmSettings {
  readonly path: string;
  readonly npmrc: Npmrc;
  /** The mode of the file, if others may read it. */
  readonly open: string | undefined;
}

const LARGEST_FILE = 64 * 1024;

/**
 * Reads `.npmrc` at home, or the file of `NPM_CONFIG_USERCONFIG`, once. Undefined if there is none, or it cannot be read: a registry that needs a
 * token says so, and one that needs none is not refused because of the settings of another program.
 */
export function npmSettingsIn(environment: World['environment']): () => NpmSettings | undefined {
  const { HOME, NPM_CONFIG_USERCONFIG: named } = environment;
  const path = named || (HOME ? join(HOME, '.npmrc') : undefined);
  let settings: NpmSettings | undefined;
  return () => {
    if (settings || path === undefined || !existsAt(path)) return settings;
    const file = readRegularFile(path, LARGEST_FILE);
    if (!file.ok) return undefined;
    const { mode = 0, bytes } = file.value;
    const npmrc = readNpmrc(Buffer.from(bytes).toString(), environment);
    settings = { path, npmrc, open: modeOpenToOthers(mode) };
    return settings;
  };
}

/** The address of the registry that the settings name for a scope, or for all others if it is empty. */
export function npmRegistriesIn(
  environment: World['environment'],
): (scope: string) => string | undefined {
  const settings = npmSettingsIn(environment);
  return (scope) => settings()?.npmrc.registries.get(scope);
}
