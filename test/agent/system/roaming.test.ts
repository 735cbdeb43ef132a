import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ONLINE,
  roam,
  type Observation,
  type RoamingState,
} from '../../../src/agent/system/roaming.ts';

const TERMS = { networks: ['high', 'low'], hotspot: 'spot' };

/** `full`, `limited high`, `none (high)`: the connectivity, and the connections, in parentheses those that are not up yet. */
function seen(text: string): Observation {
  const [connectivity = '', ...names] = text.split(' ');
  return {
    connectivity: connectivity as Observation['connectivity'],
    active: names.map((name) => ({
      uuid: name.replaceAll(/[()]/g, ''),
      isUp: !name.startsWith('('),
      isPhysical: !name.startsWith('docker'),
    })),
  };
}

/** What roaming does in a series of observations at these seconds. */
function story(
  steps: readonly (readonly [second: number, seen: string])[],
  terms: Parameters<typeof roam>[2] = TERMS,
): string[] {
  let state: RoamingState = ONLINE;
  return steps.flatMap(([second, text]) => {
    const step = roam(state, seen(text), terms, second * 1000);
    ({ state } = step);
    return step.command ? [`${second} ${step.command.kind} ${step.command.uuid}`] : [];
  });
}

describe('roaming', () => {
  it.each<[string, [number, string][], string[], Parameters<typeof roam>[2]?]>([
    [
      'does nothing while there is internet',
      [
        [0, 'full eth'],
        [60, 'full eth'],
      ],
      [],
    ],
    [
      'trusts a network where connectivity is not checked',
      [
        [0, 'unknown eth'],
        [60, 'unknown eth'],
      ],
      [],
    ],
    [
      'does not trust a bridge of containers',
      [
        [0, 'unknown docker0'],
        [30, 'unknown docker0'],
      ],
      ['30 connect high'],
    ],
    [
      'leaves NetworkManager half a minute',
      [
        [0, 'none'],
        [29, 'none'],
        [30, 'full high'],
      ],
      [],
    ],
    [
      'forgets a short outage',
      [
        [0, 'none'],
        [20, 'full high'],
        [40, 'none'],
        [60, 'none'],
      ],
      [],
    ],
    [
      'tries the next network when one is unavailable',
      [
        [0, 'none'],
        [30, 'none'],
        [40, 'none'],
      ],
      ['30 connect high', '40 connect low'],
    ],
    [
      'leaves a network half a minute to connect, and tries the next when it has no internet',
      [
        [0, 'none'],
        [30, 'none'],
        [40, 'none (high)'],
        [50, 'limited high'],
        [60, 'limited high'],
        [70, 'limited (low)'],
      ],
      ['30 connect high', '60 connect low'],
    ],
    [
      'leaves a portal',
      [
        [0, 'portal high'],
        [30, 'portal high'],
      ],
      ['30 connect low'],
    ],
    [
      'does not connect again to the network that it has',
      [
        [0, 'limited low'],
        [30, 'limited low'],
      ],
      ['30 connect high'],
    ],
    [
      'stops when all were tried, and tries them again ten minutes later',
      [
        [0, 'limited x'],
        [30, 'limited x'],
        [40, 'limited x'],
        [50, 'limited x'],
        [649, 'limited x'],
        [650, 'limited x'],
        [679, 'limited x'],
        [680, 'limited x'],
      ],
      ['30 connect high', '40 connect low', '680 connect high'],
    ],
    [
      'opens the hotspot after two minutes without any network, and closes it to try again',
      [
        [0, 'none'],
        [30, 'none'],
        [40, 'none'],
        [50, 'none'],
        [119, 'none'],
        [120, 'none'],
        [130, 'none spot'],
        [649, 'limited spot'],
        [650, 'limited spot'],
        [680, 'none'],
      ],
      [
        '30 connect high',
        '40 connect low',
        '120 open-hotspot spot',
        '650 close-hotspot spot',
        '680 connect high',
      ],
    ],
    [
      'opens it again two minutes later if it does not open',
      [
        [0, 'none'],
        [30, 'none'],
        [120, 'none'],
        [130, 'none'],
        [239, 'none'],
        [240, 'none'],
      ],
      ['120 open-hotspot spot', '240 open-hotspot spot'],
      { networks: [], hotspot: 'spot' },
    ],
    ['closes it when there is internet', [[0, 'full eth spot']], ['0 close-hotspot spot']],
    [
      'opens none while there is a network without internet',
      [
        [0, 'limited eth'],
        [30, 'limited eth'],
        [600, 'limited eth'],
      ],
      [],
      { networks: [], hotspot: 'spot' },
    ],
    [
      'counts the two minutes from the end of the last network',
      [
        [0, 'limited eth'],
        [30, 'limited eth'],
        [100, 'none'],
        [219, 'none'],
        [220, 'none'],
      ],
      ['220 open-hotspot spot'],
      { networks: [], hotspot: 'spot' },
    ],
    [
      'opens none without a password',
      [
        [0, 'none'],
        [30, 'none'],
        [40, 'none'],
        [50, 'none'],
        [500, 'none'],
      ],
      ['30 connect high', '40 connect low'],
      { networks: ['high', 'low'], hotspot: undefined },
    ],
  ])('%s', (_what, steps, expected, terms = TERMS) => {
    expect(story(steps, terms)).toEqual(expected);
  });

  const places = ['full a', 'unknown a', 'limited a', 'portal', 'none', 'none (a)', 'limited b'];
  const observations = fc.constantFrom(...places, 'unknown', 'none s', 'full s');
  const steps = fc.array(fc.tuple(fc.integer({ min: 1, max: 400 }), observations), {
    minLength: 1,
    maxLength: 60,
  });
  const terms = fc.record({
    networks: fc.subarray(['a', 'b', 'c']),
    hotspot: fc.constantFrom('s', undefined),
  });

  it('tries each network at most once between two rests, and opens the hotspot only without a network', () => {
    fc.assert(
      fc.property(steps, terms, (series, given) => {
        let [state, now]: [RoamingState, number] = [ONLINE, 0];
        const tried = new Set<string>();
        for (const [seconds, text] of series) {
          now += seconds * 1000;
          const { active } = seen(text);
          const step = roam(state, seen(text), given, now);
          const { kind, uuid } = step.command ?? { kind: 'none', uuid: '' };
          const isOnline = text.startsWith('full') || text === 'unknown a';
          const hasRested = state.restsUntil !== undefined && step.state.restsUntil === undefined;
          if (isOnline || hasRested) tried.clear();
          const isUp = active.some((one) => one.isUp);
          const isActive = active.some((one) => one.uuid === uuid);
          const isRight = {
            none: true,
            connect: !isOnline && given.networks.includes(uuid) && !isActive && !tried.has(uuid),
            'open-hotspot': !isOnline && uuid === given.hotspot && !isUp,
            'close-hotspot': uuid === given.hotspot && isActive,
          }[kind];
          expect(isRight, `${kind} ${uuid} on ${text} after ${now} ms`).toBe(true);
          if (kind === 'connect') tried.add(uuid);
          ({ state } = step);
        }
      }),
    );
  });
});
