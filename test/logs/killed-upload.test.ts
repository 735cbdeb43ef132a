import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openLog } from '../../src/logs/log-file.ts';
import { servedCollector, textOf, uidOf } from '../../mocks/log-collector.ts';
import { temporaryFolder } from '../support/folder.ts';
import { ROOT } from '../support/modreg.ts';

it('a record whose sender is killed before it reads the response is sent again, with the same id', async () => {
  const path = `${temporaryFolder()}/logs.db`;
  const log = openLog(path, 'create');
  onTestFinished(() => log.close());
  const lines = ['a', 'b'].map(
    (text) => ({ at: 1, severity: 'info', module: 'lidar', text }) as const,
  );
  log.append(lines);
  const sender = (): ReturnType<typeof spawn> => {
    const program = join(ROOT, 'test/logs/support/send-log.ts');
    const child = spawn(process.execPath, [program, path, collector.endpoint]);
    onTestFinished(() => void child.kill('SIGKILL'));
    return child;
  };
  const collector = await servedCollector((place) => () => {
    if (place === 0) first.kill('SIGKILL');
    return Response.json({});
  });
  const first = sender();
  await once(first, 'exit');
  expect(log.delivery().waiting).toBe(2);
  sender();
  await expect.poll(() => log.delivery().waiting).toBe(0);
  const [before, after] = collector.requests.map(({ records }) => records);
  expect(after?.map(textOf)).toEqual(['a', 'b']);
  expect(after?.map(uidOf)).toEqual(before?.map(uidOf));
});
