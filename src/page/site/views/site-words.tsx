import type { FC } from 'hono/jsx';
import { describeDuration } from '../../../core/text/duration.ts';
import { formatTime } from '../../../core/text/rfc3339.ts';
import { dayOf, timeOf } from '../../clock-words.ts';
import type { NamedRelease } from '../../../site/named-release.ts';

/** `12,345`. */
export function numberOf(count: number): string {
  return count.toLocaleString('en');
}

/** `1 machine`, `12,345 machines`. */
export function machinesOf(count: number): string {
  return `${numberOf(count)} machine${count === 1 ? '' : 's'}`;
}

/** The time of day in UTC, with the date if it is another day than now. */
export const At: FC<{ readonly ms: number; readonly now: number }> = ({ ms, now }) => {
  const time = timeOf(ms, undefined).slice(0, 5);
  const day = dayOf(ms, undefined);
  return (
    <time datetime={formatTime(ms)} title={formatTime(ms)}>
      {day === dayOf(now, undefined) ? time : `${day} ${time}`} UTC
    </time>
  );
};

/** `5 min ago`. The script lets it grow. */
export const Ago: FC<{ readonly ms: number; readonly now: number }> = ({ ms, now }) => {
  const age = Math.max(0, now - ms);
  return (
    <>
      <span data-age={Math.floor(age / 1000)}>{describeDuration(age)}</span> ago
    </>
  );
};

/** The address of the page of a machine. */
export function machinePath(id: string): string {
  return `/machines/${encodeURIComponent(id)}`;
}

/** The address of the page of a module. */
export function modulePath(moduleId: string): string {
  return `/modules/${encodeURIComponent(moduleId)}`;
}

/** The address of the notes of a release. */
export function notesPath({ moduleId, version }: NamedRelease): string {
  return `${modulePath(moduleId)}/notes?version=${encodeURIComponent(version)}`;
}

/** The address of the page of a rollout. */
export function rolloutPath({ moduleId, version }: NamedRelease): string {
  return `/rollouts/${encodeURIComponent(moduleId)}/${encodeURIComponent(version)}`;
}

/** The address of the machines that match. */
export function machinesPath(search: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    if (value !== undefined && value !== '') query.set(name, value);
  }
  const text = query.toString();
  return text === '' ? '/' : `/?${text}`;
}
