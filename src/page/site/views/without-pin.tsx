import type { FC } from 'hono/jsx';
import type { ShownMachine } from '../../../site/machines.ts';

/** What the site may change on a machine that follows it and reported no trust pin (D441). */
export const WithoutPin: FC<{
  readonly machine: Pick<ShownMachine, 'isFollowing' | 'isPinned'>;
}> = ({ machine: { isFollowing, isPinned } }) =>
  isFollowing && !isPinned ? (
    <p>
      It reported no trust pin: this site may change all of it but the terms of the machine alone.
    </p>
  ) : null;
