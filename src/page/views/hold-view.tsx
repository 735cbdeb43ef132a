import type { FC } from 'hono/jsx';
import { formatTime } from '../../core/text/rfc3339.ts';
import type { TimeContext } from '../../core/text/time-words.ts';
import { holdEndText } from '../../host/requests/hold-words.ts';
import type { HoldInForce, Holds } from '../../host/requests/holds.ts';

/** What operators hold, and the forms that end a hold and set one (D75). */
export const HoldView: FC<{
  readonly list: Holds;
  /** The names of the entries of the machine. */
  readonly modules: readonly string[];
  /** The one that is chosen. */
  readonly chosen: string | undefined;
}> = ({ list: { holds, times }, modules, chosen }) => (
  <>
    <h1>Holds</h1>
    {holds.length === 0 ? <p>Nothing is held.</p> : null}
    {holds.map((hold) => (
      <Held hold={hold} times={times} />
    ))}
    <NewHold modules={modules} chosen={chosen} />
  </>
);

const Held: FC<{ readonly hold: HoldInForce; readonly times: TimeContext }> = ({ hold, times }) => (
  <form class="quarantined" method="post" action="/holds/end">
    <input type="hidden" name="module" value={hold.of.name} />
    <input type="hidden" name="since" value={formatTime(hold.since)} />
    <p>
      <strong>{hold.label}</strong> is held by {hold.by} since {formatTime(hold.since)}, until{' '}
      {holdEndText(hold, times)}: {hold.because}
    </p>
    <p>
      <button>End the hold of {hold.label}</button>
    </p>
  </form>
);

const NewHold: FC<{ readonly modules: readonly string[]; readonly chosen: string | undefined }> = ({
  modules,
  chosen,
}) => (
  <>
    <h2>Hold</h2>
    <p>
      Nothing is installed, upgraded, downgraded or restarted until the hold ends. A rollback is not
      held. A hold takes the place of an earlier one of the same module.
    </p>
    <form method="post" action="/holds">
      <p>
        <label>
          what{' '}
          <select name="module">
            <option value="">this machine</option>
            {modules.map((name) => (
              <option value={name} selected={name === chosen}>
                {name}
              </option>
            ))}
          </select>
        </label>
      </p>
      <HoldFields />
      <button>Hold</button>
    </form>
  </>
);

const HoldFields: FC = () => (
  <>
    <p>
      <label>
        for (for example 12h, at most 30d) <input name="for" />
      </label>
    </p>
    <p>
      <label>
        or until (for example 2026-11-22T06:00:00Z) <input name="until" />
      </label>
    </p>
    <p>
      <label>
        reason <input name="reason" required maxlength={500} />
      </label>
    </p>
    <p>
      <label>
        your name <input name="by" required maxlength={100} />
      </label>
    </p>
  </>
);
