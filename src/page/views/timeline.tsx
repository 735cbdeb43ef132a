import type { FC } from 'hono/jsx';
import type { HistoryEntry } from '../paged-machine.ts';
import { dayOf, timeOf } from '../clock-words.ts';

interface Times {
  readonly now: number;
  readonly timeZone: string | undefined;
}

/** So many modules have a lane. The list below the lanes has all. */
const MOST_LANES = 12;

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
    {entry.causes.length === 0 ? null : <p>what changed: {entry.causes.join('; ')}</p>}
  </li>
);

interface Span {
  readonly version: string;
  readonly from: number;
  readonly to: number;
}

const Lanes: FC<{ readonly entries: readonly HistoryEntry[] } & Times> = ({
  entries,
  now,
  timeZone,
}) => {
  const lanes = [...Map.groupBy(entries, ({ name }) => name)]
    .map(([, ofModule]) => ({ label: ofModule[0]?.label ?? '', spans: spansOf(ofModule, now) }))
    .filter(({ spans }) => spans.length > 1)
    .slice(0, MOST_LANES);
  const start = Math.min(...lanes.flatMap(({ spans }) => spans.map(({ from }) => from)));
  if (lanes.length === 0 || start >= now) return null;
  const axis = { start, now, timeZone };
  return (
    <div class="lanes" aria-hidden="true">
      {lanes.map((lane) => (
        <Lane {...lane} axis={axis} />
      ))}
      <Scale axis={axis} />
    </div>
  );
};

interface Axis extends Times {
  readonly start: number;
}

/** The versions of a module, each on its bar. */
const Lane: FC<{
  readonly label: string;
  readonly spans: readonly Span[];
  readonly axis: Axis;
}> = ({ label, spans, axis: { start, now } }) => {
  // An entry may be later than `now`: the clock was set back, or it was written while the page was made.
  const share = (ms: number): string => `${((100 * Math.max(0, ms)) / (now - start)).toFixed(2)}%`;
  return (
    <div>
      <p>{label}</p>
      <svg>
        {spans.map(({ version, from, to }) => (
          <svg x={share(from - start)} width={share(to - from)}>
            <title>{version}</title>
            <rect width="100%" height="100%" data-now={to === now ? true : undefined} />
            <text x="6" y="17">
              {version}
            </text>
          </svg>
        ))}
      </svg>
    </div>
  );
};

/** What the bars are, and when they begin and end. */
const Scale: FC<{ readonly axis: Axis }> = ({ axis: { start, now, timeZone } }) => (
  <div>
    <p>deployed version</p>
    <p class="axis">
      {[start, (start + now) / 2, now].map((at) => (
        <time datetime={new Date(at).toISOString()}>{axisWords(at, now - start, timeZone)}</time>
      ))}
    </p>
  </div>
);

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** The time of day on a short axis, the day on a long one. */
function axisWords(at: number, length: number, timeZone: string | undefined): string {
  if (length >= 2 * DAY_MS) return dayOf(at, timeZone);
  return length < 10 * MINUTE_MS ? timeOf(at, timeZone) : timeOf(at, timeZone).slice(0, 5);
}

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
