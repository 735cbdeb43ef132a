import type { FC } from 'hono/jsx';
import { excerpt } from '../../../core/text/quote.ts';
import { parseTime } from '../../../core/text/rfc3339.ts';
import type { ModuleOutcomes } from '../../../site/modules.ts';
import { namedMachines, outcomeWords, whereWords } from '../../../site/outcome-words.ts';
import { ColumnHeads } from '../../views/column-heads.tsx';
import { At, modulePath, numberOf } from './site-words.tsx';

/** What became of a module on the machines, as `modreg registry outcomes` says. */
export const ModuleOutcomesView: FC<{ readonly found: ModuleOutcomes; readonly now: number }> = ({
  found: { module_id: id, outcomes, left_out: left },
  now,
}) => (
  <>
    <h1>
      Outcomes of <a href={modulePath(id)}>{id}</a>
    </h1>
    <p>What runs now, and what machines reported in the last 30 days.</p>
    {outcomes.length === 0 ? (
      <p>No machine runs this module, and none reported a failure.</p>
    ) : null}
    {outcomes.length === 0 ? null : (
      <table>
        <ColumnHeads of={['version', 'outcome', 'where', 'last', 'reason', 'machines']} />
        <tbody>
          {outcomes.map((one) => (
            <OutcomeRow one={one} now={now} />
          ))}
        </tbody>
      </table>
    )}
    {left === 0 ? null : <p>{numberOf(left)} further outcomes</p>}
  </>
);

const OutcomeRow: FC<{
  readonly one: ModuleOutcomes['outcomes'][number];
  readonly now: number;
}> = ({ one, now }) => {
  const last = one.last_at === null ? undefined : parseTime(one.last_at);
  return (
    <tr>
      <th scope="row">{excerpt(one.version)}</th>
      <td data-name="outcome">{outcomeWords(one)}</td>
      <td data-name="where">{whereWords(one)}</td>
      <td data-name="last">{last?.ok ? <At ms={last.value} now={now} /> : 'now'}</td>
      <td data-name="reason">{one.reason === null ? '' : excerpt(one.reason)}</td>
      <td data-name="machines">{namedMachines(one.first_machines, one.machines)}</td>
    </tr>
  );
};
