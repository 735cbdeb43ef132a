import type { FC } from 'hono/jsx';
import { labelFor } from '../../host/machine-row.ts';
import { restartLines, rollbackLines } from '../../host/requests/request-words.ts';
import type { Rollback } from '../../host/requests/rollback.ts';
import type { RestartPreview } from '../machine-changes.ts';
import { Consequences } from './consequences.tsx';

/** What a restart does, and the form that requests it. */
export const RestartView: FC<{
  /** The address of the page of the module. */
  readonly module: string;
  readonly isImmediate: boolean;
  readonly preview: RestartPreview;
}> = ({ module, isImmediate, preview }) => {
  const { row, deployed, stops, shares, isRequested, staysImmediate } = preview;
  const label = labelFor(row);
  return (
    <>
      <h1>Restart {label}</h1>
      <pre tabindex={0}>{restartLines(preview).join('\n')}</pre>
      <Consequences stops={stops} shares={shares} />
      <p>While the server processes changes of the config, nothing restarts.</p>
      <form method="post" action={`${module}/restart`}>
        <input type="hidden" name="deployed" value={deployed} />
        {isImmediate ? <input type="hidden" name="now" value="yes" /> : null}
        <WhoField />
        <button>{isImmediate ? `Restart ${label} now` : `Restart ${label}`}</button>
      </form>
      {staysImmediate ? (
        <p>It passes the maintenance window.</p>
      ) : isImmediate ? (
        <p>
          It passes the maintenance window. <a href={`${module}/restart`}>Keep to the window…</a>
        </p>
      ) : (
        <p>
          It keeps to the maintenance window.{' '}
          <a href={`${module}/restart?now=yes`}>Pass the window…</a>
        </p>
      )}
      {isRequested ? (
        <form method="post" action={`${module}/restart/cancel`}>
          <p>
            A restart is requested already. <button>Withdraw the request</button>
          </p>
        </form>
      ) : null}
      <p>
        <a href={module}>Do nothing</a>
      </p>
    </>
  );
};

/** Who asks, for `why` and `status` (D489). */
const WhoField: FC = () => (
  <p>
    <label>
      your name <input name="by" maxlength={100} />
    </label>
  </p>
);

/** What a rollback does, and the form that makes it. */
export const RollbackView: FC<{
  readonly module: string;
  /** How long it lasts, as typed: `7d`. */
  readonly term: string;
  readonly preview: Rollback;
}> = ({ module, term, preview: rollback, preview: { row, from, to } }) => (
  <>
    <h1>
      Roll back {labelFor(row)} to {to}
    </h1>
    <pre tabindex={0}>{rollbackLines(rollback).join('\n')}</pre>
    <form method="get" action={`${module}/rollback`}>
      <p>
        <label>
          for (for example 7d; empty: until it is lifted) <input name="for" value={term} />
        </label>{' '}
        <button>Show what that does</button>
      </p>
    </form>
    <form method="post" action={`${module}/rollback`}>
      <input type="hidden" name="deployed" value={from} />
      <input type="hidden" name="to" value={to} />
      <input type="hidden" name="for" value={term} />
      <WhoField />
      <button>
        Roll back from {from} to {to}
        {term === '' ? '' : ` for ${term}`}
      </button>
    </form>
    <p>
      <a href={module}>Do nothing</a>
    </p>
  </>
);
