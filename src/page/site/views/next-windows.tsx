import type { FC } from 'hono/jsx';
import { excerpt } from '../../../core/text/quote.ts';
import type { NextWindows, WindowWork } from '../../../site/next-windows.ts';
import { ColumnHeads } from '../../views/column-heads.tsx';
import { At, machinePath, numberOf } from './site-words.tsx';

/** What machines do when their windows open within 24 hours; nothing if nothing waits for a window (D442). */
export const NextWindowsView: FC<{ readonly windows: NextWindows; readonly now: number }> = ({
  windows: { work, workOf, later },
  now,
}) =>
  workOf + later === 0 ? null : (
    <section aria-labelledby="windows">
      <h2 id="windows">In the next 24 hours</h2>
      {work.length === 0 ? <p>No window opens for what waits.</p> : null}
      {work.length === 0 ? null : (
        <table>
          <ColumnHeads of={['window opens', 'machines', 'what waits for it']} />
          <tbody>
            {work.map((one) => (
              <Row work={one} now={now} />
            ))}
          </tbody>
        </table>
      )}
      {workOf > work.length ? <p>and {numberOf(workOf - work.length)} more changes</p> : null}
      {later === 0 ? null : <p>Later, or not known here: {numberOf(later)}</p>}
    </section>
  );

const Row: FC<{ readonly work: WindowWork; readonly now: number }> = ({
  work: { opensAt, moduleId, deployed, target, machines, machinesOf },
  now,
}) => (
  <tr>
    <td>
      <At ms={opensAt} now={now} />
    </td>
    <th scope="row">
      {machines.map((id, place) => (
        <>
          {place === 0 ? '' : ', '}
          <a href={machinePath(id)}>{id}</a>
        </>
      ))}
      {machinesOf > machines.length ? ` and ${numberOf(machinesOf - machines.length)} more` : ''}
    </th>
    <td>
      {deployed === target
        ? `restart of ${moduleId} ${excerpt(deployed)}`
        : `${moduleId} ${excerpt(deployed)} → ${excerpt(target)}`}
    </td>
  </tr>
);
