import { expect, it } from 'vitest';
import { machineWaiters } from '../../src/server/configs/machine-waiters.ts';

it.each<[string, readonly string[], readonly string[]]>([
  ['none', [], []],
  ['the only one', ['+a'], ['a']],
  ['all of several', ['+a', '+b', '+c'], ['a', 'b', 'c']],
  ['those that are left when the first has ended', ['+a', '+b', '-a'], ['b']],
  ['those that are left when the last has ended', ['+a', '+b', '-b'], ['a']],
  ['none when all have ended', ['+a', '+b', '-a', '-b'], []],
  ['none when the only one has ended', ['+a', '-a'], []],
  ['one that began after all have ended', ['+a', '+b', '-a', '-b', '+c'], ['c']],
  ['one that began after the only one has ended twice', ['+a', '-a', '+b', '-a'], ['b']],
])('a change of what is served to a machine wakes %s', (_what, steps, expected) => {
  const { add, wake, wakeAll } = machineWaiters();
  const woken: string[] = [];
  const ends = new Map<string, () => void>();
  const endOther = add('another', () => void woken.push('another'));
  for (const step of steps) {
    const [sign, name = ''] = step;
    if (sign === '+')
      ends.set(
        name,
        add('rover-7', () => void woken.push(name)),
      );
    else ends.get(name)?.();
  }
  wake('rover-7');
  expect(woken).toEqual(expected);
  endOther();
  wakeAll();
  expect(woken).toEqual([...expected, ...expected]);
});
