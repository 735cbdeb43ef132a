import { join } from 'node:path';
import type { Result } from '../../core/index.ts';
import { platformHome } from '../../config/platform-home.ts';
import { MACHINE_PAGE, type PageNaming } from '../../page/access/access-options.ts';
import { PAGE_FILE } from '../../page/access/page-file.ts';
import { NO_HOME } from '../../host/open-state.ts';
import type { Problem } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import { DEFAULT_PORT } from './page-terms.ts';

/** Which page it is, and where its files are. */
export interface PageIdentity {
  readonly naming: PageNaming;
  /** The file of its sessions. */
  readonly path: string;
  /** The file with an address and a code, which only its owner can read. */
  readonly addressFile: string;
  readonly port: string;
  /** Of the answer of a command that shows an address. */
  readonly schema: string;
}

/** The page of this machine. Its files are in the platform's home. */
export function machinePage({ environment }: World): Result<PageIdentity, Problem> {
  const home = platformHome(environment);
  if (home === undefined) return { ok: false, error: NO_HOME };
  const [path, addressFile] = [join(home, PAGE_FILE), join(home, 'page-address')];
  const schema = 'modreg/page@1';
  return {
    ok: true,
    value: { naming: MACHINE_PAGE, path, addressFile, port: DEFAULT_PORT, schema },
  };
}

/** The usual port of the page of a site. It is not that of a machine, because both may run on one. */
export const SITE_PORT = '4891';

/** The page of the registry with this file. Its files are beside it. */
export function sitePage(database: string): PageIdentity {
  const stem = database.replace(/\.db$/, '');
  const path = `${stem}-page.db`;
  const naming = { command: 'modreg registry page' };
  return {
    naming,
    path,
    addressFile: `${stem}-page-address`,
    port: SITE_PORT,
    schema: 'modreg/registry-page@1',
  };
}
