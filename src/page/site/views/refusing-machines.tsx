import type { FC } from 'hono/jsx';
import type { ListedMachine } from '../../../server/fleet/machine-queries.ts';
import type { UnreportedMachine } from '../../../site/machines.ts';
import { refusalWords } from '../../../site/refusal-words.ts';
import { machinePath } from './site-words.tsx';

/** Which documents of its site a machine refuses, and why; nothing if it refuses none. */
export const Refusal: FC<Pick<ListedMachine, 'refusal'>> = ({ refusal }) =>
  refusal === undefined ? null : (
    <p>
      <span class="state" data-state="failed">
        refusing
      </span>{' '}
      revision {refusal.revision}: {refusalWords(refusal)}
    </p>
  );

/** The first machines that refuse documents and have never reported (D480), and how many of all are not among them. */
export const UnreportedRows: FC<{
  readonly machines: readonly UnreportedMachine[];
  readonly of: number;
}> = ({ machines, of }) => (
  <>
    {machines.map((machine) => (
      <UnreportedRow machine={machine} />
    ))}
    {machines.length > 0 && of > machines.length ? (
      <tr>
        <td colspan={4}>and {of - machines.length} more that have never reported</td>
      </tr>
    ) : null}
  </>
);

const UnreportedRow: FC<{ readonly machine: UnreportedMachine }> = ({
  machine: { id, refusal },
}) => (
  <tr>
    <th scope="row">
      <a href={machinePath(id)}>{id}</a>
    </th>
    <td data-name="seen">has never reported</td>
    <td data-name="modules"></td>
    <td class="attention">
      <Refusal refusal={refusal} />
    </td>
  </tr>
);
