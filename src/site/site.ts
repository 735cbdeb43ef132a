import { changesOf, type SiteChanges } from './change-history.ts';
import { commandsOf, type SiteCommands } from './given-commands.ts';
import { editsOf, type SiteEdits } from './document-edits.ts';
import { documentsOf, type SiteDocuments } from './served-documents.ts';
import { versionsOf, type SiteVersions } from './version-types.ts';
import { nextWindowsOf, type SiteWindows } from './next-windows.ts';
import type { OnChange } from './on-change.ts';
import { logsOf, type SiteLogs } from './stored-logs.ts';
import { machinesOf, type SiteMachines } from './machines.ts';
import { modulesOf, type SiteModules } from './modules.ts';
import { rolloutsOf, type SiteRollouts } from './rollouts.ts';
import type { SiteFiles } from './site-files.ts';
import { wallOf, type SiteWall } from './wall.ts';

/**
 * A site: what its registry's file says, and what its machines reported. Times are milliseconds since the epoch. Each method throws a
 * DatabaseError if a file cannot be used.
 */
export interface Site
  extends
    SiteMachines,
    SiteChanges,
    SiteCommands,
    SiteDocuments,
    SiteEdits,
    SiteLogs,
    SiteModules,
    SiteRollouts,
    SiteVersions,
    SiteWall,
    SiteWindows {
  readonly now: () => number;
}

export function siteOf(files: SiteFiles, onChange: OnChange): Site {
  return {
    now: files.now,
    ...machinesOf(files),
    ...changesOf(files),
    ...commandsOf(files, onChange),
    ...documentsOf(files, onChange),
    ...editsOf(files, onChange),
    ...versionsOf(files, onChange),
    ...logsOf(files),
    ...modulesOf(files),
    ...rolloutsOf(files, onChange),
    ...wallOf(files),
    ...nextWindowsOf(files),
  };
}
