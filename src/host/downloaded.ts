import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { FOLDERS } from '../agent/install/package-store.ts';
import type { Plan } from '../core/index.ts';
import { replacementOf, type Decision } from '../core/decision/decision.ts';
import type { LoggedDecision } from '../core/plan/logged-decisions.ts';
import { keyOf } from '../core/plan/target.ts';
import { SUBSYSTEM_MODULES } from '../core/plan/subsystem.ts';
import { excerpt } from '../core/text/quote.ts';

/** The version that a decision holds, if its package is there; undefined if nothing is held, or it is not (D78). */
export function downloadedIn(home: string, held: LoggedDecision | undefined): string | undefined {
  if (held?.decision !== 'hold' || held.target === undefined) return undefined;
  return isThere(home, held.moduleId, held.target) ? held.target : undefined;
}

/** By target key: the versions that a plan holds and whose packages are there. A machine without a folder has none. */
export function downloadedFor(
  { modules, subsystems }: Plan,
  home: string | undefined,
): ReadonlyMap<string, string> {
  if (home === undefined) return new Map();
  const rows = [
    ...modules.map((row) => ({ kind: 'module', ...row }) as const),
    ...subsystems.flatMap(({ target, decision }) => {
      if (target.option === 'disable_subsystem') return [];
      const { name } = target;
      return { kind: 'subsystem', name, moduleId: SUBSYSTEM_MODULES[name], decision } as const;
    }),
  ];
  return new Map(
    rows.flatMap(({ kind, name, moduleId, decision }) => {
      const version = heldVersion(decision);
      const isDownloaded = version !== undefined && isThere(home, moduleId, version);
      return isDownloaded ? [[keyOf({ kind, name }), version] as const] : [];
    }),
  );
}

/** `1.3.0 is downloaded` */
export function downloadedWords(version: string): string {
  return `${excerpt(version)} is downloaded`;
}

function heldVersion(decision: Decision): string | undefined {
  const replacement = decision.kind === 'hold' ? replacementOf(decision) : undefined;
  if (!replacement || replacement.direction === 'restart' || 'url' in replacement.to)
    return undefined;
  return replacement.to.version.text;
}

/** A package is in a folder named by its version, and by its digest if it has one. */
function isThere(home: string, moduleId: string, version: string): boolean {
  const folder = join(home, FOLDERS.packages, ...moduleId.split(':'));
  try {
    return readdirSync(folder).some(
      (name) => name.startsWith(version) && /^(-[0-9a-f]{12})?$/.test(name.slice(version.length)),
    );
  } catch {
    return false;
  }
}
