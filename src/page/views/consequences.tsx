import type { FC } from 'hono/jsx';
import type { Stop } from '../../core/index.ts';

/** What stops, in order, and what else happens in the same restart. */
export const Consequences: FC<{
  readonly stops: readonly Stop[];
  readonly shares: readonly string[];
}> = ({ stops, shares }) => (
  <>
    {stops.length === 0 ? (
      <p>No component stops.</p>
    ) : (
      <>
        <p>Stops, in this order:</p>
        <ol class="stops">
          {stops.map(({ component, dependsOn }) => (
            <li>
              {dependsOn.length === 0 ? component : `${component} (needs ${dependsOn.join(', ')})`}
            </li>
          ))}
        </ol>
      </>
    )}
    {shares.length === 0 ? null : <p>In the same restart: {shares.join('; ')}.</p>}
  </>
);
