import type { FC } from 'hono/jsx';
import type { CardRow } from '../card-row.ts';
import { Timed } from './timed.tsx';

/** What a person can do about a release that was yanked and stays, and about versions in quarantine (D389). */
export const Remedies: FC<{ readonly row: CardRow }> = ({
  row: { moduleId, remedy, quarantined, times },
}) => (
  <>
    {remedy === undefined ? null : <p class="remedy">{remedy}</p>}
    {quarantined.map((said) => (
      <p>
        <Timed said={said} times={times} />{' '}
        <a href={`/quarantine?module=${encodeURIComponent(moduleId)}`}>Lift…</a>
      </p>
    ))}
  </>
);
