import type { FC } from 'hono/jsx';
import { headlineText } from '../../core/explanation/headline.ts';
import { formatTime, isTime } from '../../core/text/rfc3339.ts';
import {
  describeTime,
  notesOn,
  passing,
  toldTime,
  wordsOf,
  type Said,
  type TimeContext,
} from '../../core/text/time-words.ts';

/** Words whose times are shown as the local ones, with the date of those that are far. */
export const Timed: FC<{ readonly said: Said; readonly times: TimeContext }> = ({
  said,
  times: context,
}) => {
  const { facts, times } = wordsOf(said);
  return (
    <>
      {facts.map((fact, place) => (
        <>
          {fact}
          <Time time={times[place]} context={context} />
        </>
      ))}
    </>
  );
};

/** A headline: its times are the time until then, and exact for those who point at them. */
export const Brief: FC<{ readonly said: Said; readonly times: TimeContext }> = ({
  said,
  times: { now },
}) => {
  const { facts, times } = wordsOf(said);
  return (
    <>
      {facts.map((fact, place) => {
        const time = times[place];
        return (
          <>
            {fact}
            {typeof time === 'number' && isTime(time) ? (
              <time datetime={formatTime(time)} title={formatTime(time)}>
                {headlineText(passing(time), now)}
              </time>
            ) : (
              time
            )}
          </>
        );
      })}
    </>
  );
};

const DAY_MS = 86_400_000;

const Time: FC<{ readonly time: number | string | undefined; readonly context: TimeContext }> = ({
  time,
  context,
}) => {
  if (typeof time !== 'number') return <>{time}</>;
  if (!isTime(time)) return <>{formatTime(time)}</>;
  const { utc, ...told } = toldTime(time, context);
  const isFar = time - context.now >= DAY_MS && told.local?.day === undefined;
  const local = `${isFar ? `${utc.slice(0, 10)} ` : ''}${notesOn(told)}`;
  return (
    <time datetime={utc} title={utc}>
      {told.local ? local : describeTime(time, context)}
    </time>
  );
};
