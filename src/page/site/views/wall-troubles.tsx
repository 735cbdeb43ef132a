import type { FC } from 'hono/jsx';
import { excerpt } from '../../../core/text/quote.ts';
import type { WallState, WallTrouble } from '../../../server/fleet/wall-machines.ts';
import { refusalWords } from '../../../site/refusal-words.ts';
import { clockWords } from '../../../site/machine-clock.ts';
import { Ago, numberOf } from './site-words.tsx';

/** So many kinds of trouble are listed. */
const MOST_KINDS = 5;
/** So many machines of a kind are named. */
const MOST_NAMES = 3;
const LONGEST_REASON = 70;

/** What people see who cannot tell the colours apart. */
const SIGNS: Readonly<Record<WallState, string>> = {
  silent: '?',
  failing: '✕',
  stuck: '!',
  refusing: '≠',
  'wrong clock': '±',
  quiet: '~',
  behind: '↑',
  well: '✓',
};

export const Sign: FC<{ readonly state: WallState }> = ({ state }) => (
  <span class="sign" aria-hidden="true">
    {SIGNS[state]}
  </span>
);

/** Machines with the same trouble. */
export interface Kind {
  readonly first: WallTrouble;
  readonly machines: readonly WallTrouble[];
}

/** What needs attention, once for all machines that have the same (D215). */
export const Troubles: FC<{
  readonly troubles: readonly WallTrouble[];
  readonly of: number;
  readonly now: number;
}> = ({ troubles, of, now }) => {
  const kinds = kindsOf(troubles).slice(0, MOST_KINDS);
  const left = of - kinds.reduce((sum, { machines }) => sum + machines.length, 0);
  return (
    <section class="troubles" aria-label="What needs attention">
      <ul>
        {kinds.map((kind) => (
          <KindItem kind={kind} now={now} />
        ))}
      </ul>
      {left > 0 ? <p>and {numberOf(left)} more</p> : null}
    </section>
  );
};

/** Troubles that are the same, together. */
export function kindsOf(troubles: readonly WallTrouble[]): Kind[] {
  const kinds = Map.groupBy(troubles, (one) => `${one.state} ${whatOf(one) ?? ''}`);
  return [...kinds.values()].flatMap((machines) => {
    const [first] = machines;
    return first === undefined ? [] : [{ first, machines }];
  });
}

const KindItem: FC<{ readonly kind: Kind; readonly now: number }> = ({
  kind: { first, machines },
  now,
}) => (
  <li data-state={first.state}>
    <p class="name">
      <Sign state={first.state} /> {machines.length === 1 ? first.id : numberOf(machines.length)}{' '}
      <span class="word">{first.state}</span>
    </p>
    {machines.length === 1 ? null : <p class="why">{namesOf(machines)}</p>}
    {machines.length > 1 && whatOf(first) === undefined ? null : (
      <p class="why">
        <Why trouble={first} now={now} />
      </p>
    )}
  </li>
);

/** `rover-1, rover-2 and 3 more`. */
function namesOf(machines: readonly WallTrouble[]): string {
  const names = machines.slice(0, MOST_NAMES).map(({ id }) => id);
  const left = machines.length - names.length;
  return names.join(', ') + (left === 0 ? '' : ` and ${numberOf(left)} more`);
}

/** What is wrong on a machine, or since when it is not heard. */
export const Why: FC<{ readonly trouble: WallTrouble; readonly now: number }> = ({
  trouble,
  now,
}) => {
  const { clock } = trouble;
  if (trouble.state === 'wrong clock' && clock) return <>{clockWords(clock, now)}</>;
  const what = whatOf(trouble);
  if (what !== undefined) return <>{what}</>;
  const { heardAt } = trouble;
  if (heardAt === undefined) return <>not heard</>;
  return (
    <>
      heard <Ago ms={heardAt} now={now} />
    </>
  );
};

/** `acme:lidar 1.3.0: motor stalled`; undefined for a machine that is not heard. */
export function whatOf({ module, refusal }: WallTrouble): string | undefined {
  if (refusal !== undefined) return `documents: ${refusalWords(refusal, LONGEST_REASON)}`;
  if (module === undefined) return undefined;
  const { moduleId, failing, reason } = module;
  const what = failing === undefined ? moduleId : `${moduleId} ${excerpt(failing.version)}`;
  const why = failing === undefined ? reason : (failing.reason ?? undefined);
  return why === undefined ? what : `${what}: ${excerpt(why, LONGEST_REASON)}`;
}
