import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { printed, type Printed } from '../../support/command.ts';
import { temporaryFolder } from '../../support/folder.ts';

/** When the command runs. */
export const NOW: number = Date.parse('2026-11-21T12:00:00Z');
/** The registry. */
const LISTS = {
  'lists/acme/lidar.json': JSON.stringify({
    releases: [
      { version: '1.2.8', published_at: '2026-01-01T00:00:00Z' },
      { version: '1.2.9', published_at: '2026-11-20T00:00:00Z' },
      { version: '2.0.0-rc.1', published_at: '2026-01-02T00:00:00Z' },
      { version: '1.1.0', published_at: '2026-01-02T00:00:00Z', yanked: 'burns' },
      { version: 'nightly' },
    ],
  }),
  'lists/acme/arm.json': JSON.stringify({ releases: [{ version: '1.0.0+exp' }] }),
  'lists/acme/cam.json': JSON.stringify({ releases: [{ version: '1.0.0-rc.1' }] }),
  'lists/acme/gps.json': JSON.stringify({
    releases: [
      { version: '1.0.0', artifacts: [{ platform: 'linux/amd64', url: 'https://x.example/g' }] },
    ],
  }),
};

/** A machine config with comments. */
export const MACHINE = `{
  // the rover in the hall
  "components": [],
  "modules": [
    {
      "type": "registry",
      "name": "acme_base",
      "module_id": "acme:base",
      "version": "1.*" // until June
    },
    { "type": "local", "name": "own", "module_id": "acme:own" }
  ]
}
`;

/** The warning about the list of the lidar. */
export const IGNORED =
  'warning[IGNORED_ENTRIES]: ignored 1 of 5 entries of acme:lidar, not a version: "nightly" (expected a number at character 1)';

/** Runs `modreg add` in a folder with a machine config, a policy and a registry. */
export async function adding(
  folder: string,
  args: readonly string[],
  clock: () => number = () => NOW,
): Promise<Printed> {
  const [id = '', ...options] = args;
  const { stdout, stderr, exit } = await printed(
    ['add', id, `${folder}/machine.json`, ...options],
    { clock },
  );
  const shown = (line: string): string => line.replaceAll(folder, '.');
  return { stdout: stdout.map(shown), stderr: stderr.map(shown), exit };
}

/** A folder with a machine config, the registry, and a policy. */
export function folderWith(
  machine: string | Uint8Array = MACHINE,
  policy: object = { registry: './lists' },
): string {
  return temporaryFolder({
    ...LISTS,
    'machine.json': machine,
    'policy.json': JSON.stringify(policy),
  });
}

/** The machine config in `folder`. */
export function contentOf(folder: string): string {
  return readFileSync(join(folder, 'machine.json'), 'utf8');
}
