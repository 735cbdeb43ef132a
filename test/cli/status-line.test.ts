import { describe, expect, it } from 'vitest';
import { downloadBar } from '../../src/cli/agent/download-bar.ts';
import { statusLine } from '../../src/cli/base/status-line.ts';

it.each([
  [0, 10_000_000, 'lidar 1.2.9  [--------------------]   0 %  0.0 of 10.0 MB'],
  [4_560_000, 10_000_000, 'lidar 1.2.9  [#########-----------]  45 %  4.6 of 10.0 MB'],
  [10_000_000, 10_000_000, 'lidar 1.2.9  [####################] 100 %  10.0 of 10.0 MB'],
  [12_000_000, 10_000_000, 'lidar 1.2.9  [####################] 100 %  12.0 of 10.0 MB'],
  [4_560_000, undefined, 'lidar 1.2.9  4.6 MB'],
  [0, 0, 'lidar 1.2.9  0.0 MB'],
])('a download of %i bytes of %s', (bytes, total, expected) => {
  const step = { kind: 'downloading', bytes, total } as const;
  expect(downloadBar({ name: 'lidar', version: '1.2.9' }, step)).toBe(expected);
});

const CLEAR = '\r\u001B[K';

describe('a line below a log', () => {
  it.each([
    [
      'a terminal',
      { isTTY: true, columns: 10 },
      {},
      `${CLEAR}half${CLEAR}a line\n${CLEAR}half${CLEAR}all of it${CLEAR}`,
    ],
    ['a dumb terminal', { isTTY: true, columns: 10 }, { TERM: 'dumb' }, 'a line\n'],
    ['a file', { isTTY: false, columns: 80 }, {}, 'a line\n'],
  ])('%s', (_, place, environment, expected) => {
    let written = '';
    const write = (text: Uint8Array | string): boolean => {
      written += String(text);
      return true;
    };
    const { show, around } = statusLine({ ...place, write }, environment);
    show('half');
    show('half');
    around(() => write('a line\n'));
    show('all of it, which is too long');
    show(undefined);
    show(undefined);
    expect(written).toBe(expected);
  });
});
