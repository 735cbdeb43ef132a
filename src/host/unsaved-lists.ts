import type { SavedList, SavedLists } from '../registry/saved-lists.ts';

/** A view of `saved` that never writes to it: lists saved through it stay in this process, and are read from there. */
export function unsavedLists(saved: SavedLists): SavedLists {
  const own = new Map<string, SavedList>();
  const keep = (address: string, moduleId: string, list: SavedList): void => {
    own.set(keyOf(address, moduleId), list);
  };
  return {
    read: (address, moduleId) => own.get(keyOf(address, moduleId)) ?? saved.read(address, moduleId),
    firstSeen: (address, moduleId) =>
      own.get(keyOf(address, moduleId))?.firstSeen ?? saved.firstSeen(address, moduleId),
    stamp: (address, moduleId) => {
      const list = own.get(keyOf(address, moduleId));
      return list ? `own ${list.digest}` : saved.stamp(address, moduleId);
    },
    version: () => saved.version(),
    trust: (pin) => saved.trust?.(pin),
    save: keep,
    replace: keep,
    confirm: (address, lists) => {
      for (const [moduleId, list] of lists) keep(address, moduleId, list);
    },
  };
}

function keyOf(address: string, moduleId: string): string {
  return `${moduleId} ${address}`;
}
