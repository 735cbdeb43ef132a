import { dirname } from 'node:path';
import { platformHome } from '../../config/platform-home.ts';
import { excerpt } from '../../core/text/quote.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import type { Problem } from '../../base/problem.ts';
import { shellWord } from '../../base/shell-word.ts';
import type { World } from '../../base/world.ts';
import type { MachineFile } from '../../store/index.ts';
import { machineIdOf } from '../machine-id.ts';
import { keptState, type ServedState } from './served-state.ts';

const LONGEST = 900;

/** Notes about the documents that a machine follows: what it runs, and what it refuses (D266). None if it follows none. */
export function siteNotes({ path }: Pick<MachineFile, 'path'>): string[] {
  return notesOf(wordsIn(dirname(path)));
}

/** The same for this machine (D326). */
export function siteNotesHere({ environment }: Pick<World, 'environment'>): string[] {
  return notesOf(siteWords(platformHome(environment)));
}

function notesOf({ runs, refused }: SiteWords): string[] {
  return [runs, refused].flatMap((one) => (one === undefined ? [] : `note: ${one}`));
}

/** The same as warnings of the page of the machine, which changes the documents on the machine. */
export function siteWarnings(world: World): Problem[] {
  const { runs, unproven, refused } = siteWords(platformHome(world.environment));
  const hint = hintFor(world);
  const message = `${runs ?? ''}; this page shows them, and changes only the documents on the machine`;
  return [
    ...(runs === undefined
      ? []
      : [{ severity: 'warning', kind: 'follows-site', message, hint } as const]),
    ...(unproven === undefined
      ? []
      : [{ severity: 'warning', kind: 'follows-site', message: unproven } as const]),
    ...(refused === undefined
      ? []
      : [{ severity: 'warning', kind: 'config-refused', message: refused } as const]),
  ];
}

/** The same before the documents on the machine are edited: what saving an edit means (D454). None if it follows no site. */
export function editWarnings(world: World): Problem[] {
  const { runs } = siteWords(platformHome(world.environment));
  if (runs === undefined) return [];
  const message = `${runs}; while the machine follows that site, modules that are saved here do not run, and terms count only where the site sets none`;
  return [{ severity: 'warning', kind: 'follows-site', message, hint: hintFor(world) }];
}

function hintFor(world: World): string {
  const machine = machineOption(world);
  return `modreg fleet config show${machine} and modreg fleet config set${machine} show and change what the site serves`;
}

/** How a command of the site names this machine: ` --machine rover-7`; empty if its id is not known here. */
export function machineOption(world: World): string {
  const id = machineIdOf(world);
  return id.ok && id.value !== undefined ? ` --machine ${shellWord(id.value)}` : '';
}

interface SiteWords {
  /** Which revision is in use. */
  readonly runs: string | undefined;
  /** That it was taken without a trust document (D433). */
  readonly unproven: string | undefined;
  /** Which revision is refused, and why. */
  readonly refused: string | undefined;
}

const NOTHING: SiteWords = { runs: undefined, unproven: undefined, refused: undefined };

/** What is said of the documents that the machine with this home follows. */
export function siteWords(home: string | undefined): SiteWords {
  return home === undefined ? NOTHING : wordsIn(home);
}

function wordsIn(home: string): SiteWords {
  const state = keptState(home);
  return state ? wordsOf(state) : NOTHING;
}

function wordsOf(state: ServedState): SiteWords {
  const { site, current, since, provisional, refused, isUnproven } = state;
  const where = `the documents that ${excerpt(site)} serves`;
  const from = since === undefined ? '' : ` (since ${formatTime(since - (since % 1000))})`;
  const until = provisional ? ', until it has reached its site for good' : '';
  return {
    runs: current && `revision ${current.revision} of ${where} is in use${from}${until}`,
    unproven:
      current && isUnproven
        ? `revision ${current.revision} was taken while the policy named no trust document: the site could change everything but the terms of the machine alone`
        : undefined,
    refused:
      refused &&
      `revision ${refused.revision} of ${where} is refused: ${excerpt(refused.code)}: ${excerpt(refused.detail, LONGEST)}`,
  };
}
