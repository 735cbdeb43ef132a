import type { Eligibility } from '../../core/index.ts';
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
  /** What is wrong with this clock for a module with a minimum age; absent if nothing is known to be. */
  readonly clock?: Eligibility['clock'];
}

const MOST_APART_MS = 5 * 60_000;
const SYNCHRONIZE = 'timedatectl set-ntp true; timedatectl timesync-status says whether it works';
const AFFECTED = 'minimum ages, maintenance windows and certificates are judged by it';

const UNCERTAIN = {
  unsynchronized: 'which is not synchronized, and no registry said over https what time it is',
  distrusted: 'which the policy does not trust, and no registry said over https what time it is',
};
const HELD =
  'a release is not selected before its age is certain, because minimum_release_age is set';
const TRUST = `${SYNCHRONIZE}; or use a registry over https; or set trust_clock to true in the policy if the clock is right`;

/** Whether this machine's clock can be right. */
export function checkClock({ now, lastRound, ahead, clock }: ClockFacts): Finding[] {
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
    // A minimum age counts to a time that is certain (D57).
    ...(clock && clock.kind !== 'wrong'
      ? [warning(`${says}, ${UNCERTAIN[clock.kind]}: ${HELD}`, TRUST)]
      : []),
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
