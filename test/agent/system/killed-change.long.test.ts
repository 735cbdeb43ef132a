import { describe, expect, it } from 'vitest';
import { canTrace, runRecorded } from '../../faults/run-traced.ts';
import { ALL, apply, filesIn, NOTHING, RECORD, said } from '../support/applied-files.ts';
import { needs } from '../../support/prerequisite.ts';
import { ROOT } from '../../support/modreg.ts';
import { JOURNAL, systemSite, YARD } from '../../support/system-site.ts';
import { targetOf } from '../support/system-target.ts';

/** The calls of the system on its files and its record at which a change is killed, in the order in which they are made. */
const KILLS = [
  ...['rename 1', 'fsync 2', 'rename 2', 'rename 3', 'fsync 4', 'rename 4'].map(
    (call) => ({ call, from: NOTHING, to: ALL }) as const,
  ),
  ...['rename 1', 'unlink 1', 'rename 2', 'unlink 2'].map(
    (call) => ({ call, from: ALL, to: NOTHING }) as const,
  ),
];

describe('[A20] killed while it applies, each file is as it was or as it becomes, and the next call ends the change', () => {
  it.for(KILLS)('$call from $from to $to', async ({ call, from, to }, context) => {
    needs(context, canTrace(), 'strace is not installed, or may not be used here');
    const site = systemSite();
    site.write(JOURNAL, 'before');
    await apply(site, from);
    const paths = [
      ...[JOURNAL, YARD].map((path) => site.host.root + path),
      `${site.home}/${RECORD}`,
    ];
    const parts = paths.map((path) => path.replace(/[^/]*$/, '.$&.modreg-part'));
    const on = [...paths, ...parts].flatMap((path) => ['-P', path]);
    const [name = '', count = ''] = call.split(' ');
    const inject = ['-e', `inject=${name}:signal=KILL:when=${count}`, '-e', `trace=${name}`];
    const strace = ['-f', '-qq', '-o', '/dev/null', ...on, ...inject];
    const program = [process.execPath, `${ROOT}test/agent/support/apply-once.ts`];
    const given = [site.home, JSON.stringify(site.host), JSON.stringify(to)];
    const { signal } = await runRecorded(strace, [...program, ...given]);
    expect(signal).toBe('SIGKILL');
    const wanted = targetOf(...ALL).files;
    const possible = [undefined, 'before', ...wanted.map(({ content }) => content)];
    for (const { path } of wanted) expect(possible).toContain(site.read(path));
    const { files, troubles } = await apply(site, ALL);
    expect(files.map(({ reason }) => reason)).toEqual([undefined, undefined, undefined]);
    expect(troubles).toEqual([]);
    expect(wanted.map(({ path }) => site.read(path))).toEqual(wanted.map(({ content }) => content));
    expect(filesIn(site.host.root)).toEqual(wanted.map(({ path }) => path).toSorted());
    expect(await said(site, NOTHING)).toContain(`${JOURNAL} restored`);
    expect([filesIn(site.host.root), site.read(JOURNAL)]).toEqual([[JOURNAL], 'before']);
    expect(filesIn(site.home)).toEqual([]);
  });
});
