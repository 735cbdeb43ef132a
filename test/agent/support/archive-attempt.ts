import { existsSync, readdirSync } from 'node:fs';
import { temporaryFolder } from '../../support/folder.ts';
import { install } from '../../support/installing.ts';
import { fileServer } from '../../../mocks/file-server.ts';
import type { HostileArchive } from './hostile-archives.ts';

/** What installing an archive in an empty home results in, and what it leaves there. */
export interface Attempt {
  readonly result: unknown;
  readonly isUnpacked: boolean;
  readonly hasPackages: boolean;
  readonly downloads: readonly string[];
  readonly staged: readonly string[];
}

export async function attempt({ file }: HostileArchive): Promise<Attempt> {
  const home = temporaryFolder();
  const server = await fileServer(file);
  const steps: string[] = [];
  const result = await install(home, server.artifact, {
    onStep: (step) => void steps.push(step.kind),
  });
  return {
    result,
    isUnpacked: steps.includes('unpacked'),
    hasPackages: existsSync(`${home}/packages`),
    downloads: readdirSync(`${home}/downloads`),
    staged: readdirSync(home, { recursive: true })
      .map(String)
      .filter((path) => /^staging\/./.test(path)),
  };
}

/** The attempt to install an archive that is refused before anything is written. */
export function refusal({ kind = 'bad-archive', reason }: HostileArchive): Attempt {
  return {
    result: { ok: false, error: { blame: 'release', kind, reason } },
    isUnpacked: false,
    hasPackages: false,
    downloads: [],
    staged: [],
  };
}
