import { logged } from './site-log.ts';
import { moduleId, NOW, type TestSite } from './site-page.ts';
import { line } from '../../support/otlp-logs.ts';
import type { Prose } from '../../support/prose.ts';

const MACHINE = 'rover-7';
const LINES = 150;

/** A document with comments of so many lines. */
function config(text: Prose, lines: number): string {
  const comments = Array.from({ length: lines }, (_, place) => `  // ${place} ${text(60)}`);
  return `{\n${comments.join('\n')}\n  "modules": []\n}\n`;
}

/** Gives a site as much of everything that its pages show of rover-7 as each may have. */
export async function fillWithTexts(site: TestSite, text: Prose): Promise<void> {
  const { configs } = site.catalogue;
  await site.report(MACHINE, [{}]);
  const about = (): { author: string; reason: string; at: number } => ({
    author: `token t1 (${text(40)})`,
    reason: text(200),
    at: NOW,
  });
  for (let place = 0; place < 1000; place++) {
    const machine = `rover-${7 + (place % 10)}`;
    const basedOn = configs.newest(machine)?.revision ?? 0;
    const lines = place > 900 ? LINES : 1;
    const saved = { machine, basedOn, config: config(text, lines), policy: undefined };
    configs.save({ ...saved, ...about() });
  }
  const { commands } = configs;
  for (let number = 1; number <= 100; number++) {
    const given = { machine: MACHINE, key: `${number}`, module: 'acme_lidar', ...about() };
    const ends = { term: undefined, version: undefined, expiresAt: NOW + 1 };
    commands.give({ ...given, ...ends, kind: 'restart' });
    const outcomes = [{ number, result: 'refused', detail: text(900) }] as const;
    const word = { about: 'commands', machine: MACHINE, at: NOW, outcomes } as const;
    site.catalogue.apply({ kind: 'heard', words: [word] });
  }
  const lines = Array.from({ length: 300 }, (_, place) =>
    line(text(place % 3 === 0 ? 600 : 120), { at: NOW + place }),
  );
  await logged(site, MACHINE, lines);
  site.publish('acme:lidar', '1.3.0');
  const release = { moduleId: moduleId('acme:lidar'), version: '1.3.0' };
  site.catalogue.apply({ kind: 'notes', ...release, notes: text(65_536) });
}
