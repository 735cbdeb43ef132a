import { readdirSync } from 'node:fs';
import { applyFiles, type AppliedFiles } from '../../../src/agent/system/apply-files.ts';
import type { SystemSite } from '../../support/system-site.ts';
import { targetOf } from './system-target.ts';

export const KEY: string = 'a key of a network';
type Attributes = readonly [provisioning: object, syscfg: object];

export const ALL: Attributes = [
  { roaming_mode: true, networks: [{ ssid: 'yard', psk: KEY }] },
  { logging: { system_max_use: '16M' }, upgrades: { type: 'all' } },
];
export const LIMITS: Attributes = [{}, { logging: { system_max_use: '16M' } }];
export const NOTHING: Attributes = [{}, {}];
export const RECORD: string = 'system-files.json';

export async function apply(
  { home, host }: SystemSite,
  configuration: Attributes,
): Promise<AppliedFiles> {
  return await applyFiles(targetOf(...configuration).files, home, host);
}

/** What becomes of each file, in words. */
export async function said(site: SystemSite, configuration: Attributes): Promise<string[]> {
  const { files, troubles } = await apply(site, configuration);
  return [
    ...files.map(({ path, state, reason }) =>
      [path, state, reason].filter((one) => one !== undefined).join(' '),
    ),
    ...troubles,
  ];
}

/** Every file below a folder. */
export function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => `${parentPath}/${name}`.slice(folder.length))
    .toSorted();
}
