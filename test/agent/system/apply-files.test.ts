import {
  ALL,
  apply,
  filesIn,
  KEY,
  LIMITS,
  NOTHING,
  RECORD,
  said,
} from '../support/applied-files.ts';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { spawnSync } from 'node:child_process';
import { describe, expect, it, onTestFinished } from 'vitest';
import { backWithPower } from '../../support/on-disk.ts';
import { needs } from '../../support/prerequisite.ts';
import {
  JOURNAL,
  NETWORKS,
  systemSite,
  UPGRADES,
  YARD,
  type SystemSite,
} from '../../support/system-site.ts';

const EDITED = 'another program or person has edited it';

describe('the managed files of the system', () => {
  it('are written once, and what reads them is told', async () => {
    const site = systemSite();
    expect(await said(site, ALL)).toEqual([
      `${YARD} written`,
      `${JOURNAL} written`,
      `${UPGRADES} written`,
    ]);
    expect(filesIn(site.host.root)).toEqual([YARD, UPGRADES, JOURNAL].toSorted());
    expect([YARD, JOURNAL, UPGRADES].map((path) => site.mode(path))).toEqual(['600', '644', '644']);
    expect(site.calls()).toEqual([
      'apt-config -c @/etc/apt/apt.conf.d/.52modreg-upgrades.modreg-part dump',
      'nmcli --terse connection reload',
      'systemctl restart systemd-journald',
    ]);
    const before = statSync(`${site.home}/${RECORD}`).mtimeMs;
    expect(await said(site, ALL)).toEqual([
      `${YARD} unchanged`,
      `${JOURNAL} unchanged`,
      `${UPGRADES} unchanged`,
    ]);
    expect([site.calls(), statSync(`${site.home}/${RECORD}`).mtimeMs]).toEqual([[], before]);
  });

  it('are removed when the configuration no longer asks for them', async () => {
    const site = systemSite();
    await apply(site, ALL);
    site.calls();
    expect(await said(site, LIMITS)).toEqual([
      `${JOURNAL} unchanged`,
      `${YARD} removed`,
      `${UPGRADES} removed`,
    ]);
    expect(site.calls()).toEqual(['nmcli --terse connection reload']);
    expect(await said(site, NOTHING)).toEqual([`${JOURNAL} removed`]);
    expect([filesIn(site.host.root), filesIn(site.home)]).toEqual([[], []]);
  });

  it('stay removed after a loss of power', async () => {
    const site = systemSite();
    await apply(site, ALL);
    const back = await backWithPower(site.host.root, async () => await apply(site, NOTHING));
    expect([back, filesIn(site.host.root)]).toEqual([[], []]);
  });

  it('become what they were before modreg', async () => {
    const site = systemSite();
    site.write(JOURNAL, '[Journal]\nSystemMaxUse=1G\n', 0o640);
    expect(await said(site, LIMITS)).toEqual([`${JOURNAL} written`]);
    expect(site.read(JOURNAL)).toContain('SystemMaxUse=16777216\n');
    expect(await said(site, [{}, { logging: { system_max_use: '8M' } }])).toEqual([
      `${JOURNAL} written`,
    ]);
    expect(await said(site, NOTHING)).toEqual([`${JOURNAL} restored`]);
    expect([site.read(JOURNAL), site.mode(JOURNAL)]).toEqual([
      '[Journal]\nSystemMaxUse=1G\n',
      '640',
    ]);
  });

  it('get their mode back', async () => {
    const site = systemSite();
    await apply(site, ALL);
    chmodSync(site.host.root + YARD, 0o644);
    expect(await said(site, ALL)).toContain(`${YARD} written`);
    expect(site.mode(YARD)).toBe('600');
  });

  it('are private and known by their digests alone', async () => {
    const site = systemSite();
    await apply(site, ALL);
    const path = `${site.home}/${RECORD}`;
    expect((statSync(path).mode & 0o777).toString(8)).toBe('600');
    expect(readFileSync(path, 'utf8')).not.toContain(KEY);
    expect(readFileSync(path, 'utf8')).not.toContain(
      Buffer.from(KEY).toString('base64').slice(0, 16),
    );
  });

  it('touch nothing on a machine that asks for nothing', async () => {
    const site = systemSite();
    expect(await apply(site, NOTHING)).toEqual({ files: [], troubles: [] });
    expect([site.calls(), filesIn(site.home), filesIn(site.host.root)]).toEqual([[], [], []]);
  });
});

describe('[A20] a managed file that someone else has edited', () => {
  it('is left alone, also when the configuration changes, until it is deleted', async () => {
    const site = systemSite();
    await apply(site, ALL);
    site.write(JOURNAL, 'mine');
    const left = `${JOURNAL} left-alone ${EDITED}`;
    expect(await said(site, LIMITS)).toContain(left);
    expect(await said(site, [{}, { logging: { system_max_use: '8M' } }])).toEqual([left]);
    expect(site.read(JOURNAL)).toBe('mine');
    rmSync(site.host.root + JOURNAL);
    expect(await said(site, LIMITS)).toEqual([`${JOURNAL} written`]);
  });

  it('stays when the configuration no longer asks for it, and is then forgotten', async () => {
    const site = systemSite();
    await apply(site, LIMITS);
    site.write(JOURNAL, 'mine');
    expect(await said(site, NOTHING)).toEqual([`${JOURNAL} left-alone ${EDITED}`]);
    expect(await said(site, NOTHING)).toEqual([]);
    expect([site.read(JOURNAL), filesIn(site.home)]).toEqual(['mine', []]);
  });

  it('is not restored if it was removed', async () => {
    const site = systemSite();
    site.write(JOURNAL, 'before');
    await apply(site, LIMITS);
    rmSync(site.host.root + JOURNAL);
    expect(await said(site, NOTHING)).toEqual([
      `${JOURNAL} left-alone another program or person has removed it`,
    ]);
    expect(site.read(JOURNAL)).toBeUndefined();
  });

  it.each<[string, (site: SystemSite) => void, string]>([
    [
      'a keyfile of another program',
      (site) => site.write(YARD, 'theirs'),
      'modreg has not written it',
    ],
    [
      'a link',
      (site) => symlinkSync('/etc/passwd', site.host.root + YARD),
      'it is not a regular file',
    ],
    ['a folder', (site) => mkdirSync(site.host.root + YARD), 'it is not a regular file'],
    ['a large file', (site) => site.write(YARD, 'x'.repeat(65_537)), 'it has 65537 bytes'],
  ])('as is %s', async (_what, create, reason) => {
    const site = systemSite();
    create(site);
    const before = filesIn(site.host.root);
    expect(await said(site, [ALL[0], {}])).toEqual([`${YARD} left-alone ${reason}`]);
    expect([filesIn(site.host.root), filesIn(site.home)]).toEqual([before, []]);
  });
});

describe('[A20] a setting that cannot be applied is reported, and the rest works', () => {
  it('without NetworkManager, systemd and apt', async () => {
    const site = systemSite();
    for (const folder of ['NetworkManager', 'systemd', 'apt'])
      rmSync(`${site.host.root}/etc/${folder}`, { recursive: true });
    expect(await said(site, ALL)).toEqual([
      `${YARD} ${missing('NetworkManager')}`,
      `${JOURNAL} ${missing('systemd')}`,
      `${UPGRADES} ${missing('apt')}`,
    ]);
    mkdirSync(`${site.host.root}/etc/systemd`);
    expect(await said(site, ALL)).toContain(`${JOURNAL} written`);
  });

  it('if apt refuses the fragment', async () => {
    const site = systemSite();
    site.program('apt-config', 'echo "E: Syntax error" >&2; exit 100');
    expect(await said(site, ALL)).toEqual([
      `${YARD} written`,
      `${JOURNAL} written`,
      `${UPGRADES} failed apt-config -c FILE dump: E: Syntax error`,
    ]);
    expect(filesIn(site.host.root)).toEqual([YARD, JOURNAL].toSorted());
  });

  it('if a program refuses, which is then told again until it does not', async () => {
    const site = systemSite();
    site.program('nmcli', 'echo "Error: NetworkManager is not running." >&2; exit 8');
    site.program('systemctl', 'exit 1');
    const troubles = [
      'nmcli --terse connection reload: Error: NetworkManager is not running.',
      'systemctl restart systemd-journald: it ended with exit code 1',
    ];
    expect((await apply(site, ALL)).troubles).toEqual(troubles);
    expect(await said(site, ALL)).toEqual([
      `${YARD} unchanged`,
      `${JOURNAL} unchanged`,
      `${UPGRADES} unchanged`,
      ...troubles,
    ]);
    site.program('nmcli', '');
    site.program('systemctl', '');
    site.calls();
    expect((await apply(site, ALL)).troubles).toEqual([]);
    expect(site.calls()).toEqual([
      'nmcli --terse connection reload',
      'systemctl restart systemd-journald',
    ]);
    expect([(await apply(site, ALL)).troubles, site.calls()]).toEqual([[], []]);
  });

  it('if its folder is read-only', async (context) => {
    const site = systemSite();
    const place = `${site.host.root}${NETWORKS}`;
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'ro', 'none', place]);
    needs(context, mounted.status === 0, 'this user cannot mount');
    onTestFinished(() => void spawnSync('umount', [place]));
    expect(await said(site, ALL)).toEqual([
      `${YARD} failed it cannot be written (EROFS)`,
      `${JOURNAL} written`,
      `${UPGRADES} written`,
    ]);
    spawnSync('mount', ['-o', 'remount,rw', place]);
    expect(await said(site, ALL)).toContain(`${YARD} written`);
  });

  it('if the disk is full', async (context) => {
    const site = systemSite();
    const place = `${site.host.root}${NETWORKS}`;
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4k', 'none', place]);
    needs(context, mounted.status === 0, 'this user cannot mount');
    onTestFinished(() => void spawnSync('umount', [place]));
    writeFileSync(`${place}/other`, 'x'.repeat(4096));
    expect(await said(site, ALL)).toContain(`${YARD} failed it cannot be written (ENOSPC)`);
    expect(readdirSync(place)).toEqual(['other']);
    rmSync(`${place}/other`);
    expect(await said(site, ALL)).toContain(`${YARD} written`);
  });

  it.each([
    ['no JSON', '{'],
    ['another document', '{"schema":"modreg/other@1","files":[]}'],
    ['a path that modreg never writes', record({ path: '/etc/passwd' })],
    [
      'a path that leaves its folder',
      record({ path: `${NETWORKS}/modreg-../../passwd.nmconnection` }),
    ],
    ['no digests', record({ digests: [1] })],
    ['no word on its end', record({ settled: 'yes' })],
    ['an original without a mode', record({ original: { content: '' } })],
  ])('if its record has %s: then nothing is changed', async (_what, text) => {
    const site = systemSite();
    writeFileSync(`${site.home}/${RECORD}`, text);
    await expect(apply(site, ALL)).rejects.toThrow('is not a record of modreg; move it away');
    expect(filesIn(site.host.root)).toEqual([]);
  });

  it('if the record cannot be written: then nothing is changed', async () => {
    const site = systemSite();
    rmSync(site.home, { recursive: true });
    writeFileSync(site.home, '');
    await expect(apply(site, ALL)).rejects.toThrow(
      `"${site.home}/${RECORD}" cannot be read (ENOTDIR)`,
    );
    expect(filesIn(site.host.root)).toEqual([]);
  });
});

function missing(folder: string): string {
  return `failed there is no folder "/etc/${folder}"; is the program that reads it installed?`;
}

function record(fields: object): string {
  const file = { path: JOURNAL, original: null, digests: [], settled: true, ...fields };
  return JSON.stringify({ schema: 'modreg/system-files@1', files: [file] });
}
