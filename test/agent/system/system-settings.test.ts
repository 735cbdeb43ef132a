import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  SystemSettings,
  type SystemSettingsOptions,
} from '../../../src/agent/system/system-settings.ts';
import type { SystemEvent } from '../../../src/agent/system/system-event.ts';
import { systemLine } from '../../../src/cli/agent/system-words.ts';
import { testClock } from '../../support/clock.ts';
import { HOTSPOT, JOURNAL, systemSite, YARD, type SystemSite } from '../../support/system-site.ts';
import { agentWith } from '../support/system-target.ts';

interface Followed {
  readonly settings: SystemSettings;
  /** The lines of the log so far. */
  readonly log: string[];
  readonly until: (line: string) => Promise<void>;
}

function settingsOf(site: SystemSite, options: Partial<SystemSettingsOptions> = {}): Followed {
  const log: string[] = [];
  let check: (() => void) | undefined;
  const settings = new SystemSettings({
    home: site.home,
    host: site.host,
    isRoot: true,
    clock: testClock(),
    manufacturer: () => undefined,
    onEvent: (event: SystemEvent) => {
      const { level, text } = systemLine(event);
      log.push(`${level} ${text}`);
      check?.();
    },
    ...options,
  });
  onTestFinished(async () => await settings.stop());
  const until = async (line: string): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    check = () => {
      if (log.includes(line)) resolve();
    };
    check();
    await promise;
  };
  return { settings, log, until };
}

const LIMITS = agentWith({}, { logging: { system_max_use: '16M' } });
const OTHER_LIMITS = agentWith({}, { logging: { system_max_use: '8M' } });
const NOTHING = agentWith({});

describe('the settings of the system', () => {
  it('follow the configuration, the last one of several', async () => {
    const site = systemSite();
    const { settings, log, until } = settingsOf(site);
    for (const agent of [LIMITS, NOTHING, OTHER_LIMITS]) settings.follow(agent);
    await until(`info ${JOURNAL}: written`);
    await settings.stop();
    expect(log).toEqual([`info ${JOURNAL}: written`]);
    expect(site.read(JOURNAL)).toMatch(/SystemMaxUse=(16777216|8388608)\n/);
  });

  it('are no work for a machine that asks for nothing', async () => {
    const site = systemSite();
    const { settings, log } = settingsOf(site);
    settings.follow(NOTHING);
    await settings.stop();
    expect([
      log,
      site.calls(),
      readdirSync(site.home),
      existsSync(site.host.root + JOURNAL),
    ]).toEqual([[], [], [], false]);
  });

  it('are left alone by an agent that is not root, which says so once', async () => {
    const site = systemSite();
    const { settings, log } = settingsOf(site, { isRoot: false });
    for (const agent of [NOTHING, LIMITS, LIMITS]) {
      settings.follow(agent);
      await Promise.resolve();
    }
    await settings.stop();
    expect(log).toEqual([
      'warn settings of the system: the agent is not root, so it does not apply the settings of the system',
    ]);
    expect(site.read(JOURNAL)).toBeUndefined();
  });

  it("do not change while the manufacturer's file cannot be read", async () => {
    const site = systemSite();
    let isBroken = true;
    const manufacturer = (): undefined => {
      if (isBroken) throw new Error("the manufacturer's file has 1 error");
    };
    const { settings, log, until } = settingsOf(site, { manufacturer });
    settings.follow(LIMITS);
    await until("warn settings of the system: the manufacturer's file has 1 error");
    settings.follow(LIMITS);
    isBroken = false;
    settings.follow(LIMITS);
    await until(`info ${JOURNAL}: written`);
    expect(log).toHaveLength(2);
  });

  it('[A20] say once that a file was edited, and again after it was not', async () => {
    const site = systemSite();
    const { settings, log, until } = settingsOf(site);
    settings.follow(LIMITS);
    await until(`info ${JOURNAL}: written`);
    const edited = `warn ${JOURNAL}: left alone: another program or person has edited it; delete the file to have modreg manage it again`;
    site.write(JOURNAL, 'mine');
    settings.follow(LIMITS);
    await until(edited);
    settings.follow(LIMITS);
    settings.follow(LIMITS);
    rmSync(site.host.root + JOURNAL);
    settings.follow(LIMITS);
    await settings.stop();
    expect(log.slice(0, 2)).toEqual([`info ${JOURNAL}: written`, edited]);
    expect(log.filter((line) => line === edited)).toHaveLength(1);
  });
});

describe('networks', () => {
  const networks = [
    { ssid: 'yard', psk: 'a key of a network' },
    { ssid: 'dock\u202e', priority: 5 },
  ];
  const agent = agentWith({ roaming_mode: true, networks, hotspot_password: 'hotspot-key' });

  it('are tried from the highest priority, and the hotspot opens when none is left', async () => {
    const site = systemSite();
    site.program('nmcli', nmcli(site.home));
    writeFileSync(`${site.home}/connectivity`, 'none\n');
    writeFileSync(`${site.home}/active`, '');
    const { settings, log, until } = settingsOf(site);
    settings.follow(agent);
    await until('info opens the hotspot modreg-rover-1');
    writeFileSync(`${site.home}/connectivity`, 'full\n');
    writeFileSync(`${site.home}/active`, `${hotspotUuid(site)}:802-11-wireless:activated\n`);
    await until('info closes the hotspot modreg-rover-1');
    await settings.stop();
    expect(log.filter((line) => !line.includes('/etc/'))).toEqual([
      String.raw`info connects to the network dock\u{202e}`,
      'warn cannot connect to the network yard: nmcli --terse --wait 0 connection up uuid e5f77a37-4621-8da7-8023-372b7e0b4703: Error: No network with that name.',
      'info opens the hotspot modreg-rover-1',
      'info closes the hotspot modreg-rover-1',
    ]);
    expect(site.mode(YARD)).toBe('600');
  });

  it('are left alone when the configuration has none any more', async () => {
    const site = systemSite();
    site.program('nmcli', nmcli(site.home));
    writeFileSync(`${site.home}/connectivity`, 'none\n');
    writeFileSync(`${site.home}/active`, '');
    const { settings, until } = settingsOf(site);
    settings.follow(agent);
    await until(String.raw`info connects to the network dock\u{202e}`);
    settings.follow(NOTHING);
    await until(`info ${HOTSPOT}: removed`);
    await settings.stop();
    expect(site.read(YARD)).toBeUndefined();
  });

  it('[A20] without nmcli, the rest is applied, and that is said once', async () => {
    const site = systemSite();
    rmSync(`${site.host.programs.split(':')[0]}/nmcli`);
    const host = { ...site.host, programs: site.host.programs.split(':')[0] ?? '' };
    const { settings, log, until } = settingsOf(site, { host });
    settings.follow(
      agentWith({ hotspot_password: 'hotspot-key' }, { logging: { system_max_use: '16M' } }),
    );
    const missing =
      'warn settings of the system: nmcli --terse networking connectivity check: it is not installed';
    await until(missing);
    await settings.stop();
    expect(log.slice(0, 2)).toEqual([`info ${HOTSPOT}: written`, `info ${JOURNAL}: written`]);
    expect(log.filter((line) => line === missing)).toHaveLength(1);
  });
});

/** A nmcli that answers from files in a folder, and fails to connect to one network. */
function nmcli(home: string): string {
  return `case "$*" in
      *check) cat ${home}/connectivity;;
      *--active) cat ${home}/active;;
      *"up uuid e5f77a37"*) echo "Error: No network with that name." >&2; exit 10;;
    esac`;
}

function hotspotUuid(site: SystemSite): string {
  return /^uuid=(.*)$/m.exec(site.read(HOTSPOT) ?? '')?.[1] ?? '';
}
