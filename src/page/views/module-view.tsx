import type { FC } from 'hono/jsx';
import { explain } from '../../core/index.ts';
import type { ModuleRow } from '../module-row.ts';
import { State, stopWords, Versions } from './modules-view.tsx';

/** One module: why each of its releases is selected or refused, and what can be done about it. */
export const ModuleView: FC<{ readonly row: ModuleRow }> = ({ row }) => {
  const { resolution } = row.plan.decision;
  return (
    <>
      <h1>
        {row.label} <State row={row} />
      </h1>
      <Versions row={row} />
      <p>{row.why}</p>
      {row.nextChange === undefined ? null : <p>next {row.nextChange}</p>}
      {row.stops.length === 0 ? null : <p>stops {stopWords(row)}</p>}
      {row.warnings.map((text) => (
        <p class="warning">{text}</p>
      ))}
      <h2>Releases</h2>
      {resolution ? (
        <pre tabindex={0}>{explain(resolution, { all: true }).join('\n')}</pre>
      ) : (
        <p>Its release list is not known.</p>
      )}
    </>
  );
};
