import type { FC } from 'hono/jsx';
import type { HistoryEntry } from '../paged-machine.ts';
import { dayOf, timeOf } from '../clock-words.ts';

interface Times {
  readonly now: number;
  readonly timeZone: string | undefined;
}

/** So many modules have a lane. The list below the lanes has all. */
const MOST_LANES = 12;
const WIDTH = 1000;

/** Which version was deployed when, as lanes, and the decisions by day. */
export const Timeline: FC<{ readonly entries: readonly HistoryEntry[] } & Times> = ({
  entries,
  ...times
}) => (
  <>
    <Lanes entries={entries} {...times} />
    {[...Map.groupBy(entries, ({ at }) => dayOf(at, times.timeZone))].map(([day, ofDay]) => (
      <section>
        <h2>{day}</h2>
        <ol class="timeline">
          {ofDay.map((entry) => (
            <Event entry={entry} {...times} />
          ))}
        </ol>
      </section>
    ))}
  </>
);

const Event: FC<{ readonly entry: HistoryEntry } & Times> = ({ entry, timeZone }) => (
  <li data-decision={entry.decision}>
    <time datetime={new Date(entry.at).toISOString()}>{timeOf(entry.at, timeZone)}</time>{' '}
    <a href={`/modules/${encodeURIComponent(entry.name)}`}>{entry.label}</a>{' '}
    <strong>{entry.event}</strong>
    <p>{entry.why}</p>
    {entry.causes.length === 0 ? null : <p>changed by {entry.causes.join('; ')}</p>}
  </li>
);

interface Span {
  readonly version: string;
  readonly from: number;
  readonly to: number;
}

const Lanes: FC<{ readonly entries: readonly HistoryEntry[] } & Times> = ({ entries, now }) => {
  const lanes = [...Map.groupBy(entries, ({ name }) => name)]
    .map(([, ofModule]) => ({ label: ofModule[0]?.label ?? '', spans: spansOf(ofModule, now) }))
    .filter(({ spans }) => spans.length > 1)
    .slice(0, MOST_LANES);
  const start = Math.min(...lanes.flatMap(({ spans }) => spans.map(({ from }) => from)));
  if (lanes.length === 0 || start >= now) return null;
  const place = (at: number): number => Math.round((WIDTH * (at - start)) / (now - start));
  return (
    <div class="lanes" aria-hidden="true">
      {lanes.map(({ label, spans }) => (
        <div>
          <p>{label}</p>
          <svg viewBox={`0 0 ${WIDTH} 24`} preserveAspectRatio="none">
            {spans.map(({ version, from, to }) => (
              <rect
                x={place(from)}
                y="2"
                width={Math.max(2, place(to) - place(from) - 3)}
                height="20"
              >
                <title>{version}</title>
              </rect>
            ))}
          </svg>
          <p>{spans.map(({ version }) => version).join(' → ')}</p>
        </div>
      ))}
    </div>
  );
};

/** The deployed versions of a module, the oldest first. `entries` has the newest first. */
function spansOf(entries: readonly HistoryEntry[], now: number): Span[] {
  const spans: Span[] = [];
  let to = now;
  for (const { at, deployed } of entries) {
    const last = spans.at(0);
    if (last?.version === deployed) spans[0] = { ...last, from: at };
    else spans.unshift({ version: deployed, from: at, to });
    to = at;
  }
  return spans;
}
