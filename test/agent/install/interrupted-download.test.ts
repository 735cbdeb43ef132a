import { readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fetchArtifact, type FetchOptions } from '../../../src/agent/index.ts';
import { FILE, other, outcomeOf, played, PORTAL } from '../support/downloading.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { breaksAfter, fileServer, type FileAnswer } from '../../../mocks/file-server.ts';

function answer(
  status: number,
  headers: Readonly<Record<string, string>>,
  body: Buffer = FILE,
): FileAnswer {
  return (response) => void response.writeHead(status, headers).end(body);
}

const silent: FileAnswer = (response) => {
  response.writeHead(200, { 'content-length': FILE.length }).write(FILE.subarray(0, 1000));
};
const trickling: FileAnswer = (response) => {
  response.writeHead(200, { 'content-length': FILE.length });
  const timer = setInterval(() => response.write('x'), 20);
  response.on('close', () => clearInterval(timer));
};

describe('[A10] continues a download', () => {
  const half = FILE.length / 2;
  const range = `bytes=${half}-`;
  it.each<[string, FileAnswer[], Buffer | undefined, string[]]>([
    ['of an earlier call', [], FILE.subarray(0, half), [range]],
    ['that is complete', [], FILE, []],
    ['whose connection broke', [breaksAfter(FILE, half)], undefined, ['whole', range]],
    [
      'whose connection broke twice',
      [breaksAfter(FILE, half), breaksAfter(FILE, 1000)],
      undefined,
      ['whole', range, `bytes=${half + 1000}-`],
    ],
    [
      'from zero, if the server ignores the range',
      [(response) => void response.end(FILE)],
      FILE.subarray(0, half),
      [range],
    ],
    [
      'from zero, if the server sends another range',
      [answer(206, { 'content-range': `bytes 0-1/${FILE.length}` })],
      FILE.subarray(0, half),
      [range, 'whole'],
    ],
    [
      'from zero, if the server has no such range',
      [answer(416, {})],
      FILE.subarray(0, half),
      [range, 'whole'],
    ],
    ['from zero, if the part is of another file', [], other(9).subarray(0, half), [range, 'whole']],
    ['from zero, if the complete part is of another file', [], other(9), ['whole']],
    ['from zero, if the part is too long', [], Buffer.concat([FILE, FILE]), ['whole']],
    ['of a busy server', [answer(503, { 'retry-after': '7' })], undefined, ['whole', 'whole']],
  ])('%s', async (_what, answers, part, ranges) => {
    expect(await played(answers, part ? { part } : {})).toEqual(['done', ranges]);
  });
});

it('[A10] resumes a download as often as its connection brings a mebibyte', async () => {
  const file = Buffer.alloc(12 * 1024 * 1024, 'lidar ');
  const server = await fileServer(
    file,
    Array.from({ length: 8 }, () => breaksAfter(file, 1.2 * 1024 * 1024)),
  );
  expect((await outcomeOf(server.artifact))[0]).toBe('done');
  expect(server.ranges).toHaveLength(9);
});

describe('[A10] keeps what has arrived, and blames the machine', () => {
  it.each<[string, FileAnswer, NonNullable<FetchOptions['limits']>, [string, number]]>([
    [
      'a server that stalls',
      silent,
      { idleMs: 100 },
      ['machine, timeout: the file at @ stalled: it sent nothing more for 0.1 s', 1000],
    ],
    [
      'a server that does not answer',
      () => undefined,
      { answerMs: 100 },
      ['machine, timeout: the file at @ did not begin its response within 0.1 s', 0],
    ],
    [
      'a server that closes its connections',
      breaksAfter(FILE, 1000),
      {},
      [
        'machine, unreachable: the file at @ closed the connection before the end of its response',
        3000,
      ],
    ],
  ])('%s', async (_what, answered, limits, [outcome, kept]) => {
    const server = await fileServer(FILE, [answered, answered, answered]);
    const [found, path] = await outcomeOf(server.artifact, { limits });
    expect(found.replace(`${server.address}/lidar.tgz`, '@')).toBe(outcome);
    expect(server.ranges).toHaveLength(3);
    expect(statSync(`${path}.part`).size).toBe(kept);
  });

  it('a server that trickles', async () => {
    const limits = { slowAfterMs: 200, leastBytesPerSecond: 1024 };
    const [outcome] = await played([trickling, trickling, trickling], { options: { limits } });
    expect(outcome).toMatch(
      /^machine, timeout: the file at @ is too slow: \d+ bytes in \d+(\.\d)? s$/,
    );
  });
});

describe('[A10] does not write what is not the file', () => {
  it.each<[string, FileAnswer, string]>([
    [
      'a web page',
      answer(200, { 'content-type': 'text/html; charset=utf-8' }),
      `machine, wrong-response: the file at @ is answered with a web page (text/html; charset=utf-8): ${PORTAL}`,
    ],
    [
      'a file of another size',
      answer(200, { 'content-length': `${FILE.length - 1}` }, FILE.subarray(1)),
      `machine, wrong-response: the file at @ has ${FILE.length - 1} bytes, expected ${FILE.length}`,
    ],
    [
      'more than the file',
      (response) => void response.writeHead(200).end(Buffer.concat([FILE, FILE])),
      `machine, wrong-response: the file at @ has more than ${FILE.length} bytes`,
    ],
    [
      'a decompressed file',
      answer(200, { 'content-encoding': 'gzip' }),
      'machine, wrong-response: the file at @ is sent with content-encoding gzip, expected none, so that it can be compared with its digest',
    ],
    [
      'a refusal',
      answer(403, {}),
      'machine, denied: the server of the file at @ denies access (403)',
    ],
    [
      'a missing file',
      answer(404, {}),
      'machine, missing: the server of the file at @ does not have it (404)',
    ],
    [
      'another answer',
      answer(204, {}, Buffer.alloc(0)),
      'machine, wrong-response: the server of the file at @ does not send it (204)',
    ],
    [
      'a redirect to metadata of a cloud',
      answer(302, { location: 'http://169.254.169.254/latest' }),
      'machine, bad-redirect: the file at @ redirects to http://169.254.169.254, which is another origin',
    ],
  ])('%s', async (_what, first, outcome) => {
    expect(await played([first])).toEqual([outcome, ['whole']]);
  });
});

it('[A10] rejects with the reason of a signal, and keeps what has arrived', async () => {
  const server = await fileServer(FILE, [breaksAfter(FILE, 1000)]);
  const path = `${temporaryFolder()}/lidar`;
  const controller = new AbortController();
  const reason = new Error('the action is withdrawn');
  const onProgress = (bytes: number): void => {
    if (bytes >= 1000) controller.abort(reason);
  };
  const options = { signal: controller.signal, onProgress };
  await expect(fetchArtifact(server.artifact, path, options)).rejects.toBe(reason);
  expect(readFileSync(`${path}.part`)).toEqual(FILE.subarray(0, 1000));
});
