import { describeDuration } from '../../core/text/duration.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import { RELEASED_AT } from '../version.ts';
import { findingsOf, type Finding } from './finding.ts';

const { ok, warning, error } = findingsOf('clock');

/** What is known of the time, in milliseconds since the epoch. */
export interface ClockFacts {
  readonly now: number;
  /** When the last round began; undefined if there was none. */
  readonly lastRound: number | undefined;
  /** How far each registry's clock is ahead of this one, by its address. */
  readonly ahead: ReadonlyMap<string, number>;
}

const MOST_APART_MS = 5 * 60_000;
const SYNCHRONIZE = 'timedatectl set-ntp true; timedatectl timesync-status says whether it works';
const AFFECTED = 'minimum ages, maintenance windows and certificates are judged by it';

/** Whether this machine's clock can be right. */
export function checkClock({ now, lastRound, ahead }: ClockFacts): Finding[] {
  const says = `this machine's clock says ${formatTime(now)}`;
  if (now < RELEASED_AT) {
    const release = formatTime(RELEASED_AT).slice(0, 10);
    return [error(`${says}, and this modreg is of ${release}: ${AFFECTED}`, SYNCHRONIZE)];
  }
  const findings = [
    ...(lastRound !== undefined && lastRound - now > MOST_APART_MS
      ? [
          error(
            `${says}, and the last round was at ${formatTime(lastRound)}, ${describeDuration(lastRound - now)} later: ${AFFECTED}`,
            SYNCHRONIZE,
          ),
        ]
      : []),
    ...Array.from(ahead)
      .filter(([, ms]) => Math.abs(ms) > MOST_APART_MS)
      .map(([from, ms]) =>
        warning(`${says}, which is ${apart(ms)} ${from}: ${AFFECTED}`, SYNCHRONIZE),
      ),
  ];
  if (findings.length > 0) return findings;
  const [first] = ahead;
  const compared = first ? `, as that of ${first[0]}` : ', and no registry was there to compare it';
  return [ok(`${formatTime(now)}${compared}`)];
}

function apart(ms: number): string {
  return ms > 0
    ? `${describeDuration(ms)} behind that of`
    : `${describeDuration(-ms)} ahead of that of`;
}
