import { temporaryFolder } from './folder.ts';
import { inProcess } from './in-process.ts';
import type { Ended } from './modreg.ts';

/** The time and the platform that tests plan for. */
export const NOON: readonly string[] = [
  '--at',
  '2026-11-21T12:00:00Z',
  '--platform',
  'linux/arm64',
];

export interface Site {
  readonly machine: object;
  readonly deployed?: object;
  readonly policy?: object;
  /** Versions, by file name without extension: `acme/lidar`. */
  readonly lists?: Readonly<Record<string, readonly (string | object)[]>>;
}

/** Creates a folder with a machine config, a deployed report, a policy and a folder registry. */
export function site({
  machine,
  deployed = {},
  policy = { registry: './lists' },
  lists = {},
}: Site): string {
  const files = Object.entries(lists).map(([name, releases]) => [
    `lists/${name}.json`,
    JSON.stringify({
      releases: releases.map((one) => (typeof one === 'string' ? { version: one } : one)),
    }),
  ]);
  return temporaryFolder({
    'machine.json': JSON.stringify(machine),
    'deployed.json': JSON.stringify(deployed),
    'policy.json': JSON.stringify(policy),
    ...(Object.fromEntries(files) as Record<string, string>),
  });
}

/** Runs `modreg plan` on the documents in `folder`. */
export async function planFor(folder: string, ...options: readonly string[]): Promise<Ended> {
  const files = [`${folder}/machine.json`, '--deployed', `${folder}/deployed.json`];
  return await inProcess(['plan', ...files, ...NOON, ...options]);
}
