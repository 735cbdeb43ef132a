import { describe, expect, it } from 'vitest';
import { downloadStatus } from '../../src/cli/agent/download-bar.ts';
import { transferBar } from '../../src/cli/base/transfer-bar.ts';
import { uploadStatus } from '../../src/cli/registry/upload-status.ts';
import { statusLine } from '../../src/cli/base/status-line.ts';

it.each([
  [0, 10_000_000, 'lidar 1.2.9  [--------------------]   0 %  0.0 of 10.0 MB'],
  [4_560_000, 10_000_000, 'lidar 1.2.9  [#########-----------]  45 %  4.6 of 10.0 MB'],
  [10_000_000, 10_000_000, 'lidar 1.2.9  [####################] 100 %  10.0 of 10.0 MB'],
  [12_000_000, 10_000_000, 'lidar 1.2.9  [####################] 100 %  12.0 of 10.0 MB'],
  [4_560_000, undefined, 'lidar 1.2.9  4.6 MB'],
  [0, 0, 'lidar 1.2.9  0.0 MB'],
])('a download of %i bytes of %s', (bytes, total, expected) => {
  expect(transferBar('lidar 1.2.9', { bytes, total }, { bytes: 0, ms: 0 })).toBe(expected);
});

it.each([
  [{ bytes: 3_000_000, ms: 2000 }, 10_000_000, '45 %  4.5 of 10.0 MB  1.5 MB/s, 4 s left'],
  [{ bytes: 3_000_000, ms: 2000 }, undefined, '4.5 MB  1.5 MB/s'],
  [{ bytes: 3_000_000, ms: 999 }, 10_000_000, '45 %  4.5 of 10.0 MB'],
  [{ bytes: 0, ms: 5000 }, 10_000_000, '45 %  4.5 of 10.0 MB'],
  [{ bytes: 3_000_000, ms: 2000 }, 4_500_000, '100 %  4.5 of 4.5 MB  1.5 MB/s'],
])('[D425] a download of which %j were loaded of %s has a rate', (loaded, total, end) => {
  const bar = transferBar('lidar 1.2.9', { bytes: 4_500_000, total }, loaded);
  expect(bar.replace(/^lidar 1\.2\.9 {2}(?:\[.*\] +)?/, '')).toBe(end);
});

it('[D425] a bar is drawn four times a second at most, and at once if a download begins or ends', () => {
  const drawn: number[] = [];
  let now = 0;
  const on = downloadStatus(
    () => drawn.push(now),
    () => now,
  );
  const place = { kind: 'installing', version: '1.2.9' } as const;
  const step = { kind: 'downloading', bytes: 1, total: undefined } as const;
  for (; now < 1000; now += 50) on({ ...place, name: 'lidar', step });
  on({ ...place, name: 'arm', step });
  on({ ...place, name: 'arm', step: { kind: 'downloaded', bytes: 1 } });
  expect(drawn).toEqual([0, 250, 500, 750, 1000, 1000]);
});

it('[D425] the rate of a download that goes on is that of what it has loaded since', () => {
  const drawn: (string | undefined)[] = [];
  let now = 0;
  const on = downloadStatus(
    (bar) => drawn.push(bar),
    () => now,
  );
  const place = { kind: 'installing', name: 'lidar', version: '1.2.9' } as const;
  on({ ...place, step: { kind: 'downloading', bytes: 5_000_000, total: 11_000_000 } });
  now = 2000;
  on({ ...place, step: { kind: 'downloading', bytes: 8_000_000, total: 11_000_000 } });
  expect(drawn.at(-1)?.split('  ').slice(-2)).toEqual(['8.0 of 11.0 MB', '1.5 MB/s, 2 s left']);
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

it('[D471] an upload is drawn four times a second at most, with rate and time left, and a further attempt at once', () => {
  const drawn: (readonly [at: number, bar: string | undefined])[] = [];
  let now = 0;
  const on = uploadStatus(
    (bar) => drawn.push([now, bar]),
    () => now,
  );
  const file = { path: '/tmp/lidar.tar', total: 10_000_000 };
  for (; now <= 1000; now += 125) on({ ...file, bytes: now * 1000 });
  on({ ...file, bytes: 0 });
  expect(drawn).toEqual([
    [0, 'lidar.tar  [--------------------]   0 %  0.0 of 10.0 MB'],
    [250, 'lidar.tar  [--------------------]   2 %  0.3 of 10.0 MB'],
    [500, 'lidar.tar  [#-------------------]   5 %  0.5 of 10.0 MB'],
    [750, 'lidar.tar  [#-------------------]   7 %  0.8 of 10.0 MB'],
    [1000, 'lidar.tar  [##------------------]  10 %  1.0 of 10.0 MB  1.0 MB/s, 9 s left'],
    [1125, 'lidar.tar  [--------------------]   0 %  0.0 of 10.0 MB'],
  ]);
});
