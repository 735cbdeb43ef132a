import type { FC } from 'hono/jsx';
import type { QuarantineEntry } from '../../core/plan/machine-memory.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import type { TimeContext } from '../../core/text/time-words.ts';
import type { Quarantine } from '../../host/requests/quarantine.ts';
import { untilText, whyText } from '../../host/requests/request-words.ts';

/** The versions in quarantine, and the forms that lift one and add one. */
export const QuarantineView: FC<{
  readonly list: Quarantine;
  /** The module_ids of the machine. */
  readonly modules: readonly string[];
  /** The one that is chosen. */
  readonly chosen: string | undefined;
}> = ({ list: { entries, times }, modules, chosen }) => (
  <>
    <h1>Quarantine</h1>
    {entries.length === 0 ? <p>No version is in quarantine.</p> : null}
    {entries.map((entry) => (
      <Refused entry={entry} times={times(entry.moduleId)} />
    ))}
    <NewQuarantine modules={modules} chosen={chosen} />
  </>
);

const Refused: FC<{ readonly entry: QuarantineEntry; readonly times: TimeContext }> = ({
  entry,
  entry: { moduleId, version },
  times,
}) => (
  <form class="quarantined" method="post" action="/quarantine/lift">
    <input type="hidden" name="module_id" value={moduleId} />
    <input type="hidden" name="version" value={version} />
    <input type="hidden" name="since" value={formatTime(entry.since)} />
    <p>
      <strong>
        {moduleId} {version}
      </strong>{' '}
      is refused since {formatTime(entry.since)}, until {untilText(entry, times)}: {whyText(entry)}
    </p>
    <p>
      <button>
        Lift the quarantine of {moduleId} {version}
      </button>{' '}
      It may then be selected again, at the next decision.
    </p>
  </form>
);

const NewQuarantine: FC<{
  readonly modules: readonly string[];
  readonly chosen: string | undefined;
}> = ({ modules, chosen }) => (
  <>
    <h2>Refuse a version</h2>
    <p>If it is deployed, the version before it replaces it at once.</p>
    <form method="post" action="/quarantine">
      <p>
        <label>
          module{' '}
          <select name="module">
            {modules.map((id) => (
              <option value={id} selected={id === chosen}>
                {id}
              </option>
            ))}
          </select>
        </label>
      </p>
      <p>
        <label>
          version <input name="version" required />
        </label>
      </p>
      <p>
        <label>
          reason <input name="reason" required maxlength={500} />
        </label>
      </p>
      <p>
        <label>
          for (for example 7d; empty: until it is lifted) <input name="for" />
        </label>
      </p>
      <button>Refuse this version</button>
    </form>
  </>
);
