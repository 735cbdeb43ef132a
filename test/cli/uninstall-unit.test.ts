import { mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { installUnitCommand } from '../../src/cli/agent/systemd/install-unit-command.ts';
import { uninstallUnitCommand } from '../../src/cli/agent/systemd/uninstall-unit-command.ts';
import type { World } from '../../src/base/world.ts';
import {
  added,
  CREDENTIALS,
  host,
  KEYS,
  said,
  UNIT,
  world,
  type Host,
} from './support/systemd-host.ts';

describe('modreg agent uninstall-unit', () => {
  const state = {
    'var/lib/modreg/machine.db': '',
    'var/lib/modreg/machine.db-wal': '',
    'var/lib/modreg/packages/acme/lidar/1.0.0/run': '',
    'var/lib/modreg/registry.db': '',
  };

  function installed(environment: World['environment'] = {}): Host {
    const on = host();
    installUnitCommand(on.machine, {}, world(environment), on);
    for (const [path, text] of Object.entries(state)) {
      mkdirSync(join(on.root, path, '..'), { recursive: true });
      writeFileSync(join(on.root, path), text);
    }
    on.commands.length = 0;
    return on;
  }

  it('stops the service, and removes what install-unit wrote, also the credentials', () => {
    const on = installed(KEYS);
    const done = uninstallUnitCommand({}, world(), on);
    expect(said(done, on)).toEqual([
      `removed @/${UNIT}`,
      'removed @/var/lib/modreg/agent',
      'removed @/usr/local/bin/modreg',
      `removed @/${CREDENTIALS}`,
      'note: "@/var/lib/modreg/machine.db" stays',
      'note: "@/var/lib/modreg/machine.db-wal" stays',
      'note: "@/var/lib/modreg/packages" stays',
      'note: "@/var/lib/modreg/registry.db" stays',
      'note: --purge also removes the state of the agent, packages, and what modules keep',
    ]);
    expect(on.commands).toEqual([
      'systemctl --quiet disable --now platform-agent',
      'systemctl daemon-reload',
      'systemctl reset-failed platform-agent*',
    ]);
    expect(added(on)).toEqual(Object.keys(state).toSorted());
  });

  it('removes with --purge also what the agent kept, but no registry and no credentials of others', () => {
    const on = installed();
    writeFileSync(join(on.root, CREDENTIALS), '{"api_key": "x"}');
    expect(said(uninstallUnitCommand({ purge: true }, world(), on), on)).toEqual([
      `removed @/${UNIT}`,
      'removed @/var/lib/modreg/agent',
      'removed @/var/lib/modreg/machine.db',
      'removed @/var/lib/modreg/machine.db-wal',
      'removed @/var/lib/modreg/packages',
      'removed @/usr/local/bin/modreg',
      'note: "@/var/lib/modreg/registry.db" stays',
    ]);
    expect(added(on)).toEqual([CREDENTIALS, 'var/lib/modreg/registry.db']);
  });

  it('leaves the state of an agent that install-unit has not installed', () => {
    const on = installed();
    rmSync(join(on.root, UNIT));
    rmSync(join(on.root, 'var/lib/modreg/agent'), { recursive: true });
    const done = said(uninstallUnitCommand({ purge: true }, world(), on), on);
    expect(done.slice(0, 2)).toEqual([
      'removed @/usr/local/bin/modreg',
      'note: "@/var/lib/modreg/machine.db" stays',
    ]);
    expect(added(on)).toEqual(Object.keys(state).toSorted());
  });

  it('goes on after an interruption, and where the home is a link', () => {
    const on = installed(KEYS);
    const home = join(on.root, 'var/lib/modreg');
    renameSync(home, `${home}.disk`);
    symlinkSync(`${home}.disk`, home);
    rmSync(join(home, 'registry.db'));
    rmSync(join(on.root, UNIT));
    uninstallUnitCommand({ purge: true }, world(), on);
    expect(added(on)).toEqual([]);
    expect(readdirSync(home)).toEqual([]);
  });

  it('says if nothing is installed, and leaves a unit that others wrote', () => {
    const empty = host();
    expect(said(uninstallUnitCommand({ purge: true }, world(), empty), empty)).toEqual([
      'nothing is installed',
    ]);
    const foreign = host(/nothing/, { [UNIT]: '[Unit]\n' });
    expect(said(uninstallUnitCommand({ purge: true }, world(), foreign), foreign)).toEqual([
      `error[USAGE]: "@/${UNIT}" was not written by modreg agent install-unit`,
    ]);
    expect([...empty.commands, ...foreign.commands]).toEqual([]);
  });
});
