import type { FC } from 'hono/jsx';
import { excerpt } from '../../../core/text/quote.ts';
import {
  NOT_WELL,
  type WallGroup,
  type WallMachine,
  type WallMachines,
  type WallTrouble,
} from '../../../server/fleet/wall-machines.ts';
import type { RolloutList } from '../../../site/rollouts.ts';
import { machinesOf, numberOf } from './site-words.tsx';
import { Sign, Troubles, Why } from './wall-troubles.tsx';
import { WallRollouts } from './wall-rollouts.tsx';

interface Shown {
  readonly wall: WallMachines;
  readonly rollouts: RolloutList;
  readonly now: number;
}

/** So few machines say on their tiles what is wrong, and need no list of it. */
const FEW = 12;

/** The machines of a site on a screen that people read from four metres (D215). */
export const WallView: FC<Shown> = ({ wall, rollouts, now }) => {
  const { machines, troubles, troublesOf } = wall;
  if (machines + troublesOf === 0) return <Empty />;
  const hasList = machines > FEW && troublesOf > 0;
  return (
    <>
      <Numbers wall={wall} />
      <div class="machines">
        {hasList ? <Troubles troubles={troubles} of={troublesOf} now={now} /> : null}
        {wall.groupsOf > 0 ? <Groups wall={wall} /> : <Tiles wall={wall} now={now} />}
      </div>
      <WallRollouts rollouts={rollouts} />
    </>
  );
};

const Empty: FC = () => (
  <p class="verdict">
    No machine reports yet. <code>modreg registry invite</code> lets one join.
  </p>
);

/** What most sites have none of: shown where there is one. */
const RARE: ReadonlySet<string> = new Set(['refusing', 'wrong clock']);

/** How many machines are in which state, and whether all is well. */
const Numbers: FC<Pick<Shown, 'wall'>> = ({ wall: { machines, counts, duplicates } }) => {
  const isWell = duplicates === 0 && NOT_WELL.every((state) => counts[state] === 0);
  return (
    <ul class="numbers" data-state={isWell ? 'well' : undefined}>
      <li>
        <b>{numberOf(counts.online)}</b> of {numberOf(machines)} online
      </li>
      {isWell ? <li>all well</li> : null}
      {isWell
        ? null
        : NOT_WELL.filter((state) => !RARE.has(state) || counts[state] > 0).map((state) => (
            <li data-state={counts[state] === 0 ? undefined : state}>
              <b>{numberOf(counts[state])}</b> {state}
            </li>
          ))}
      {duplicates === 0 ? null : (
        <li data-state="stuck">
          <b>{numberOf(duplicates)}</b> ids used twice
        </li>
      )}
    </ul>
  );
};

/** The widths of tiles with a name, in the units of the style, and how many letters fit. */
const WIDTHS = [
  [16, 8],
  [20, 11],
  [27, 16],
  [36, 22],
] as const;
/** The place for them beside the list, in the same units. */
const PLACE = { width: 105, height: 50, row: 5.3 };

/** The widths of tiles without a name, and how many machines have room. */
const DOTS = [
  [8, 60],
  [5, 150],
  [3, Infinity],
] as const;

/** How large the tiles are: without names if these leave no room on the screen. */
function sizeOf(tiles: readonly WallMachine[]): { readonly size: string; readonly isDot: boolean } {
  const count = tiles.length;
  if (count <= FEW) return { size: count <= FEW / 2 ? 'large' : 'few', isDot: false };
  const longest = Math.max(...tiles.map(({ id }) => id.length));
  const width = WIDTHS.find(([, letters]) => longest <= letters)?.[0] ?? Infinity;
  const rows = Math.ceil(count / Math.floor(PLACE.width / width));
  if (rows * PLACE.row <= PLACE.height) return { size: `${width}`, isDot: false };
  const dot = DOTS.find(([, most]) => count <= most)?.[0];
  return { size: `dots-${dot}`, isDot: true };
}

const Tiles: FC<Pick<Shown, 'wall' | 'now'>> = ({ wall: { tiles, troubles }, now }) => {
  const { size, isDot } = sizeOf(tiles);
  const known = new Map(troubles.map((one) => [one.id, one]));
  return (
    <ul class="tiles" data-size={size} aria-label="Machines">
      {tiles.map((tile) =>
        tiles.length <= FEW ? (
          <LargeTile tile={tile} trouble={known.get(tile.id)} now={now} />
        ) : (
          <SmallTile tile={tile} isDot={isDot} />
        ),
      )}
    </ul>
  );
};

const LargeTile: FC<{
  readonly tile: WallMachine;
  readonly trouble: WallTrouble | undefined;
  readonly now: number;
}> = ({ tile: { id, state }, trouble, now }) => (
  <li data-state={state}>
    <p class="name">{id}</p>
    <p class="word">
      <Sign state={state} /> {state}
    </p>
    {trouble === undefined ? null : (
      <p class="why">
        <Why trouble={trouble} now={now} />
      </p>
    )}
  </li>
);

/** A dot has its words for those who hear the page. */
const SmallTile: FC<{ readonly tile: WallMachine; readonly isDot: boolean }> = ({
  tile: { id, state },
  isDot,
}) => (
  <li data-state={state} title={isDot ? id : undefined}>
    <Sign state={state} /> {isDot ? <span class="heard">{id}</span> : id}
    <span class="heard"> {state}</span>
  </li>
);

/** `canary: 1,200 machines, 3 failing`. */
const Groups: FC<Pick<Shown, 'wall'>> = ({ wall: { groups, groupsOf } }) => (
  <section class="groups" aria-label="Groups of machines">
    <ul class="tiles" data-size={groups.length <= FEW ? 'few' : '27'}>
      {groups.map((group) => (
        <GroupTile group={group} />
      ))}
    </ul>
    {groupsOf > groups.length ? <p>and {numberOf(groupsOf - groups.length)} more groups</p> : null}
  </section>
);

const GroupTile: FC<{ readonly group: WallGroup }> = ({ group: { group, machines, states } }) => {
  const found = NOT_WELL.filter((state) => states[state] > 0);
  const [worst = 'well'] = found;
  return (
    <li data-state={worst}>
      <p class="name">{group === undefined ? 'no group' : excerpt(group)}</p>
      <p class="why">{machinesOf(machines)}</p>
      <p class="word">
        <Sign state={worst} />{' '}
        {worst === 'well'
          ? 'well'
          : found.map((one) => `${numberOf(states[one])} ${one}`).join(', ')}
      </p>
    </li>
  );
};
