import type { PagedMachine } from './paged-machine.ts';
import { changesIn } from './plan-changes.ts';

/** The longest time that a view is kept. Some changes, such as the end of the agent, change no file. */
const KEPT_MS = 5000;

interface Kept {
  readonly documents: string;
  readonly view: ReturnType<PagedMachine['view']>;
  until: number;
}

/** The machine, planned again only if its files changed, if time changes the plan, or after five seconds. */
export function keepingView(machine: PagedMachine): PagedMachine {
  let kept: Kept | undefined;
  const planned = async (documents: string): ReturnType<PagedMachine['view']> => {
    const now: Kept = { documents, view: machine.view(), until: Date.now() + KEPT_MS };
    kept = now;
    // Until it is known, requests at the same time share it.
    now.until = await now.view.then(
      (view) => (view.ok ? Math.min(now.until, ...changesIn(view.value.plan)) : 0),
      () => 0,
    );
    return await now.view;
  };
  return {
    ...machine,
    view: async () => {
      const { documents } = machine.mark();
      if (kept?.documents === documents && Date.now() < kept.until) return await kept.view;
      // The old plan makes room for the new one.
      kept = undefined;
      return await planned(documents);
    },
    look: async () => {
      const looked = await machine.look();
      // Without a machine.db, no file tells of new lists.
      kept = undefined;
      return looked;
    },
  };
}
