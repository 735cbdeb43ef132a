import { describe, expect, it } from 'vitest';
import { agentSite } from '../../support/agent-site.ts';
import { entry } from '../../support/planned.ts';
import { JOURNAL, systemSite } from '../../support/system-site.ts';

function machineWith(limit: string | undefined): object {
  const logging = limit === undefined ? {} : { system_max_use: limit };
  return {
    modules: [entry('acme:lidar', '1.*')],
    agent: { 'agent-syscfg': { attributes: { logging } } },
  };
}

describe('an agent that applies the settings of the system', () => {
  it('follows the config, restores what was there, and leaves the files when it ends', async () => {
    const system = systemSite();
    system.write(JOURNAL, 'before');
    const site = await agentSite(machineWith('16M'), {}, { system: system.host });
    const stop = await site.start();
    await site.until(`${JOURNAL} written`);
    expect(system.read(JOURNAL)).toContain('SystemMaxUse=16777216\n');
    site.configure(machineWith('8M'));
    await site.change({});
    await site.until(`${JOURNAL} written`);
    await stop();
    expect(system.read(JOURNAL)).toContain('SystemMaxUse=8388608\n');
    site.configure(machineWith(undefined));
    await site.start();
    await site.until(`${JOURNAL} restored`);
    expect(system.read(JOURNAL)).toBe('before');
  });

  it('[A20] runs its modules while a program of the system hangs, and ends at once', async () => {
    const system = systemSite();
    system.program('systemctl', 'sleep 600');
    const site = await agentSite(machineWith('16M'), {}, { system: system.host });
    site.publish('acme:lidar', '1.0.0', 'exec sleep 600');
    const stop = await site.start();
    await site.until('acme_lidar running 1.0.0');
    const start = performance.now();
    await stop();
    expect(performance.now() - start).toBeLessThan(5000);
    expect(system.read(JOURNAL)).toContain('SystemMaxUse=16777216\n');
  });
});
