import { excerpt } from '../../core/text/quote.ts';
import type { World } from '../../base/world.ts';
import { defaultDatabase } from '../../host/registry-choice.ts';
import type { ChangeOptions } from '../../site/remote-registry.ts';

/** Says which file was changed if MODREG_REGISTRY is set, because that names the registry of other commands only. */
export function changedFileNotes({ db, registry }: ChangeOptions, world: World): string[] {
  const path = db ?? defaultDatabase(world);
  const isNamed = db !== undefined || registry !== undefined || path === undefined;
  if (isNamed || !world.environment['MODREG_REGISTRY']) return [];
  return [
    `note: the file ${excerpt(path)} has the change: MODREG_REGISTRY is not used here, --registry names the address of a registry`,
  ];
}
