import type { FC } from 'hono/jsx';
import { crashLoopEnd } from '../../core/plan/crash-loop.ts';
import { describeDuration } from '../../core/text/duration.ts';
import { describeTime } from '../../core/text/time-words.ts';
import type { MachineView } from '../paged-machine.ts';

/** Whether a process polls, and how old what is shown is. */
export const Freshness: FC<{ readonly view: MachineView }> = ({ view }) => (
  <p id="freshness">
    <PollerWords view={view} />
    {view.lists === undefined ? null : <> · {view.lists}</>}
  </p>
);

const PollerWords: FC<{ readonly view: MachineView }> = ({ view: { state, now, timeZone } }) => {
  if (!state) return <>no agent has run on this machine yet</>;
  const { round } = state.poller;
  const crashLoopUntil = crashLoopEnd(state.memory.starts, now);
  const end = crashLoopUntil && describeTime(crashLoopUntil, { now, timeZone });
  return (
    <>
      {state.isRunning ? 'an agent polls' : 'no process polls for this machine'};{' '}
      {round ? <LastRound ms={now - round.at} /> : 'no round was made yet'}
      {round?.trouble === undefined ? null : <>; {round.trouble}</>}
      {end === undefined ? null : <>; crash loop: no action until {end}</>}
    </>
  );
};

/** The script lets the age grow. */
const LastRound: FC<{ readonly ms: number }> = ({ ms }) => (
  <>
    last round <span data-age={Math.max(0, Math.floor(ms / 1000))}>{describeDuration(ms)}</span> ago
  </>
);
