import { formatConstraint, parseModuleId, type Constraint } from '../../core/index.ts';
import { PLATFORMS } from '../../core/releases/platform.ts';
import { isPrerelease } from '../../core/version/version.ts';
import type { World } from '../../base/world.ts';
import { entriesOf, holdsOf, moduleIdOf, quarantineOf, vetoesOf } from './machine-values.ts';
import type { OfferedRelease } from './registry-values.ts';
import type { Place } from './typed-line.ts';

/** A word that is offered at the cursor. */
export interface Candidate {
  readonly value: string;
  readonly description?: string;
}

/** `files` lets the shell offer the names of files. */
export type Offer = readonly Candidate[] | 'files';

type Offering = (place: Place, world: World) => Offer | Promise<Offer>;

const files: Offering = () => 'files';
const nothing: Offering = () => [];
const platforms: Offering = () => PLATFORMS.map((value) => ({ value }));
/** `linux/arm64=lidar.tar.gz` */
const platformFiles: Offering = ({ word }) =>
  word.includes('=') || word.startsWith('.')
    ? 'files'
    : PLATFORMS.map((one) => ({ value: `${one}=` }));

/** What is offered for a value, by its name in the help, after the command where that makes a difference. */
const OFFERINGS: Readonly<Record<string, Offering>> = {
  module_id: modules,
  constraint: constraints,
  version: versions(() => true),
  'registry publish version': nothing,
  'registry yank version': versions(({ isYanked }) => !isYanked),
  'registry unyank version': versions(({ isYanked }) => isYanked),
  'registry deprecate version': versions(({ isDeprecated }) => !isDeprecated),
  'registry undeprecate version': versions(({ isDeprecated }) => isDeprecated),
  'unhold module': heldModules,
  'quarantine lift module': quarantinedModules,
  'quarantine lift version': quarantinedVersions,
  'floor skip version': versions(({ isFloor }) => isFloor),
  module: entries,
  veto: vetoes,
  namespace: namespaces,
  token: tokens,
  platform: platforms,
  'platform=file': platformFiles,
  'platform=url': platformFiles,
  'machine.json': files,
  address: files,
  file: files,
  files,
  folder: files,
  path: files,
  program: files,
};

/** What is offered for the value `name` of a command. */
export async function offerFor(name: string, place: Place, world: World): Promise<Offer> {
  const offering = OFFERINGS[`${place.path} ${name}`] ?? OFFERINGS[name] ?? nothing;
  return await offering(place, world);
}

async function modules(place: Place, world: World): Promise<readonly Candidate[]> {
  const { modulesFor } = await import('./registry-values.ts');
  return (await modulesFor(place, world)).map((value) => ({ value }));
}

async function namespaces(place: Place, world: World): Promise<readonly Candidate[]> {
  const ids = await modules(place, world);
  const names = new Set(ids.map(({ value }) => value.slice(0, value.indexOf(':'))));
  return Array.from(names, (value) => ({ value }));
}

async function releases(place: Place, world: World): Promise<readonly OfferedRelease[]> {
  const [named = ''] = place.operands;
  const isEntry = /^(?:quarantine|floor) /.test(place.path);
  const id = parseModuleId(isEntry ? await moduleIdOf(named, world) : named);
  if (!id.ok) return [];
  const { releasesFor } = await import('./registry-values.ts');
  return await releasesFor(id.value, place, world);
}

function versions(isOffered: (release: OfferedRelease) => boolean): Offering {
  return async (place, world) =>
    (await releases(place, world)).filter(isOffered).map(({ version, isYanked }) => {
      return { value: version.text, description: isYanked ? 'yanked' : '' };
    });
}

/** The constraints that select a release of the module, the widest first. */
async function constraints(place: Place, world: World): Promise<readonly Candidate[]> {
  const found = (await releases(place, world)).filter(({ isYanked }) => !isYanked);
  if (found.length === 0) return [];
  const all = found.map(({ version }) => version);
  const finals = all.filter((version) => !isPrerelease(version));
  const offered: Constraint[] = [
    { kind: 'latest' },
    { kind: 'latest-with-prerelease' },
    ...finals.map(({ major }) => ({ kind: 'major' as const, major })),
    ...finals.map(({ major, minor }) => ({ kind: 'minor' as const, major, minor })),
    ...all.map((version) => ({ kind: 'patch' as const, version })),
  ];
  return Array.from(new Set(offered.map(formatConstraint)), (value) => ({ value }));
}

async function entries(_place: Place, world: World): Promise<readonly Candidate[]> {
  const found = await entriesOf(world);
  const names = found.map(({ name, moduleId }) => ({ value: name, description: moduleId }));
  const ids = new Set(found.map(({ moduleId }) => moduleId));
  return [...names, ...Array.from(ids, (value) => ({ value }))];
}

async function vetoes(
  { operands: [named = ''] }: Place,
  world: World,
): Promise<readonly Candidate[]> {
  return (await vetoesOf(named, world)).map(({ by, name }) => ({ value: name, description: by }));
}

async function heldModules(_place: Place, world: World): Promise<readonly Candidate[]> {
  const held = (await holdsOf(world)).filter(({ of }) => of.kind !== 'machine');
  return held.map(({ of }) => ({ value: of.name }));
}

async function quarantinedModules(_place: Place, world: World): Promise<readonly Candidate[]> {
  const ids = new Set<string>((await quarantineOf(world)).map(({ moduleId }) => moduleId));
  const names = (await entriesOf(world))
    .filter(({ moduleId }) => ids.has(moduleId))
    .map(({ name, moduleId }) => ({ value: name, description: moduleId }));
  return [...names, ...Array.from(ids, (value) => ({ value }))];
}

async function quarantinedVersions(
  { operands }: Place,
  world: World,
): Promise<readonly Candidate[]> {
  const id = await moduleIdOf(operands[0] ?? '', world);
  const found = (await quarantineOf(world)).filter(({ moduleId }) => moduleId === id);
  return found.map(({ version }) => ({ value: version }));
}

/** The ids and names of the tokens that are not revoked. */
async function tokens({ values }: Place, world: World): Promise<readonly Candidate[]> {
  const { tokensFor } = await import('./registry-values.ts');
  return await tokensFor(values.get('--db'), world);
}
