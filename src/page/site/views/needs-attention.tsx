import type { FC } from 'hono/jsx';
import type { WallMachines, WallTrouble } from '../../../server/fleet/wall-machines.ts';
import { ColumnHeads } from '../../views/column-heads.tsx';
import { machinePath, machinesPath, numberOf } from './site-words.tsx';
import { kindsOf, whatOf, Why, type Kind } from './wall-troubles.tsx';

/** So many kinds are listed. */
const MOST_KINDS = 8;
/** So many machines of a kind are named. */
const MOST_NAMES = 3;

/** What needs attention, once for all machines that have the same, the most urgent first (D354). */
export const NeedsAttention: FC<{
  readonly wall: Pick<WallMachines, 'troubles' | 'troublesOf'>;
  readonly now: number;
}> = ({ wall: { troubles, troublesOf }, now }) => {
  const kinds = kindsOf(troubles).slice(0, MOST_KINDS);
  const left = troublesOf - kinds.reduce((sum, { machines }) => sum + machines.length, 0);
  return (
    <section aria-labelledby="attention">
      <h2 id="attention">Needs attention</h2>
      {kinds.length === 0 ? (
        <p>Nothing.</p>
      ) : (
        <table>
          <ColumnHeads of={['state', 'machines', 'why']} />
          <tbody>
            {kinds.map((kind) => (
              <Row kind={kind} now={now} />
            ))}
          </tbody>
        </table>
      )}
      {left > 0 ? <p>and {numberOf(left)} more machines</p> : null}
    </section>
  );
};

const Row: FC<{ readonly kind: Kind; readonly now: number }> = ({
  kind: { first, machines },
  now,
}) => (
  <tr>
    <td>
      <span class="state" data-state={STATES[first.state] ?? first.state}>
        {first.state}
      </span>
    </td>
    <th scope="row">
      <Names machines={machines} />
    </th>
    <td>
      {machines.length > 1 && whatOf(first) === undefined ? null : (
        <Why trouble={first} now={now} />
      )}
    </td>
  </tr>
);

/** The colours of presence, of documents and clocks. */
const STATES: Readonly<Record<string, string>> = {
  silent: 'failed',
  refusing: 'failed',
  'wrong clock': 'waiting',
  quiet: 'waiting',
};

/** `rover-1, rover-2, rover-3 and 2 more`. */
const Names: FC<{ readonly machines: readonly WallTrouble[] }> = ({ machines }) => {
  const left = machines.length - MOST_NAMES;
  return (
    <>
      {machines.slice(0, MOST_NAMES).map(({ id }, place) => (
        <>
          {place === 0 ? '' : ', '}
          <a href={machinePath(id)}>{id}</a>
        </>
      ))}
      {left <= 0 ? null : (
        <>
          {' '}
          and <a href={machinesPath({ condition: machines[0]?.state })}>{numberOf(left)} more</a>
        </>
      )}
    </>
  );
};
