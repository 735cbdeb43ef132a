import { temporaryFolder } from './folder.ts';
import { modreg } from './modreg.ts';

/** As of when tests plan, and for what. */
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
  /** Versions by the name of the file: `acme/lidar`. */
  readonly lists?: Readonly<Record<string, readonly (string | object)[]>>;
}

/** The folder of a machine with its policy, its report, and a registry beside them. */
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

/** What `modreg plan` makes of a folder. */
export function planFor(folder: string, ...options: readonly string[]): ReturnType<typeof modreg> {
  const files = [`${folder}/machine.json`, '--deployed', `${folder}/deployed.json`];
  return modreg(['plan', ...files, ...NOON, ...options]);
}
