import type { FC } from 'hono/jsx';
import { UNHEARD } from '../../../server/fleet/presence.ts';
import type { SiteTotals } from '../../../server/fleet/site-totals.ts';
import { machinesPath, numberOf } from './site-words.tsx';

/** The colour of a machine that was not heard lately, by its presence. */
export const PRESENCE: Readonly<Record<string, string>> = { quiet: 'waiting', silent: 'failed' };

/** How many machines a site has, and how many are of each kind. */
export const Totals: FC<{ readonly totals: SiteTotals }> = ({
  totals,
  totals: { machines, seen, presence, failing, refusing, stuck, behind },
}) => (
  <ul id="summary">
    <li>
      <b>{numberOf(machines)}</b> in total
    </li>
    <li>
      <b>{numberOf(seen)}</b> seen in 24 h
    </li>
    {UNHEARD.map((state) =>
      presence[state] === 0 ? null : (
        <li data-state={PRESENCE[state]}>
          <b>{numberOf(presence[state])}</b>{' '}
          <a href={machinesPath({ condition: state })}>{state}</a>
        </li>
      ),
    )}
    {failing === 0 ? null : (
      <li data-state="failing">
        <b>{numberOf(failing)}</b> <a href={machinesPath({ condition: 'failing' })}>failing</a>
      </li>
    )}
    {refusing === 0 ? null : (
      <li data-state="failed">
        <b>{numberOf(refusing)}</b>{' '}
        <a href={machinesPath({ condition: 'refusing' })}>refusing documents</a>
      </li>
    )}
    <li data-state={stuck === 0 ? undefined : 'stuck'}>
      <b>{numberOf(stuck)}</b> <a href={machinesPath({ condition: 'stuck' })}>stuck</a>
    </li>
    <li data-state={behind === 0 ? undefined : 'waiting'}>
      <b>{numberOf(behind)}</b> <a href={machinesPath({ condition: 'behind' })}>behind</a>
    </li>
    <Rare totals={totals} />
  </ul>
);

/** What most sites have none of. */
const Rare: FC<{ readonly totals: SiteTotals }> = ({
  totals: { wrongClocks, retired, duplicates, unpinned },
}) => (
  <>
    {wrongClocks === 0 ? null : (
      <li data-state="waiting">
        <b>{numberOf(wrongClocks)}</b>{' '}
        <a href={machinesPath({ condition: 'wrong clock' })}>with a wrong clock</a>
      </li>
    )}
    {retired === 0 ? null : (
      <li>
        <b>{numberOf(retired)}</b> <a href={machinesPath({ condition: 'retired' })}>retired</a>
      </li>
    )}
    {duplicates === 0 ? null : (
      <li data-state="stuck">
        <b>{numberOf(duplicates)}</b> ids of two machines
      </li>
    )}
    {unpinned === 0 ? null : (
      <li>
        <b>{numberOf(unpinned)}</b> without a pin
      </li>
    )}
  </>
);
