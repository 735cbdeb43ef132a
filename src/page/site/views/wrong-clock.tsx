import type { FC } from 'hono/jsx';
import { isWrongClock } from '../../../site/machine-clock.ts';
import type { ShownMachine } from '../../../site/machines.ts';

/** What follows from a clock that is far from that of the site (D461). */
export const WrongClock: FC<{ readonly machine: Pick<ShownMachine, 'clock'> }> = ({
  machine: { clock },
}) =>
  clock && isWrongClock(clock) ? (
    <p class="warning">
      Maintenance windows, minimum ages and certificates are judged by its clock, and it may refuse
      signed commands. On the machine: <code>timedatectl set-ntp true</code>
    </p>
  ) : null;
