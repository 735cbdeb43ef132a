import type { PagedMachine } from './paged-machine.ts';
import { changesIn } from './plan-changes.ts';

/** The longest time that a view is kept. Some changes, such as the end of the agent, change no file. */
const KEPT_MS = 5000;

interface Kept {
  readonly documents: string;
  readonly view: ReturnType<PagedMachine['view']>;
  until: number;
}

/** A machine whose view is kept for the requests that follow. */
export interface KeptMachine {
  /** The machine, planned again only if its files changed, if time changes the plan, or after five seconds. */
  readonly kept: PagedMachine;
  /**
   * The same for the feed, after which the view is not kept: the feed knows what the pages show of it. The plan of 1,000 modules
   * takes 7 MB.
   */
  readonly forFeed: PagedMachine;
}

export function keepingView(machine: PagedMachine): KeptMachine {
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
  const keptMachine: PagedMachine = {
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
  const view = async (): ReturnType<PagedMachine['view']> => {
    const seen = await keptMachine.view();
    kept = undefined;
    return seen;
  };
  return { kept: keptMachine, forFeed: { ...machine, view } };
}
