import { describe, expect, it } from 'vitest';
import type { Activation } from '../../src/core/machine/activation.ts';
import { activationsIn, noteActivation } from '../../src/store/activations.ts';
import { moduleId } from '../support/ask.ts';
import { claimed, LIDAR, running } from '../support/claimed.ts';

const OLD = { version: '1.2.9', root: '/p/1.2.9' };
const NEW = { version: '1.3.0', root: '/p/1.3.0' };
const FAULT = { reason: 'it ended with exit code 1', blame: 'release' } as const;
const ACTIVATIONS: Activation[] = [
  { phase: 'stable', current: OLD, previous: undefined, settled: undefined },
  { phase: 'stable', current: NEW, previous: OLD, settled: { action: 'a-1', fault: FAULT } },
  { phase: 'trying', action: 'a-2', candidate: NEW, previous: OLD, attempts: 2 },
  { phase: 'rolling-back', action: 'a-2', candidate: NEW, previous: OLD, fault: FAULT },
];

describe('an activation', () => {
  it.each(ACTIVATIONS)('$phase is on disk for the next agent', (activation) => {
    const file = claimed();
    const { path } = file;
    const record = { moduleId: moduleId('acme:lidar'), activation };
    const [first] = ACTIVATIONS as [Activation];
    noteActivation(file, 'lidar', { moduleId: moduleId('acme:other'), activation: first });
    noteActivation(file, 'lidar', record);
    noteActivation(file, 'arm', record);
    noteActivation(file, 'arm', undefined);
    file.close();
    expect([...activationsIn(claimed(path))]).toEqual([['lidar', record]]);
  });

  it('whose row is damaged is lost alone, and its version is then unknown', () => {
    const file = claimed();
    const { state, path, database } = file;
    state.report(LIDAR, '1.3.0', 1);
    for (const name of ['arm', 'lidar']) {
      const activation = ACTIVATIONS[1] as Activation;
      noteActivation(file, name, { moduleId: moduleId('acme:lidar'), activation });
    }
    database.exec(`DROP TRIGGER seal_activations;
      UPDATE activations SET content = replace(content, '1.3.0', '1.3.1') WHERE name = 'lidar'`);
    file.close();
    const healed = claimed(path);
    expect(healed.lostRows).toEqual([
      'a damaged row: what the agent runs for module lidar; its version is installed again',
    ]);
    expect([...activationsIn(healed).keys()]).toEqual(['arm']);
    expect(running(healed.state)).toBe('unknown after nothing');
  });

  it.each(['{}', '{"phase":"trying"}', '{"phase":"stable","current":{"version":"1"}}', '['])(
    'with the content %s is damage',
    (content) => {
      const file = claimed();
      const { path, database } = file;
      database.exec(`INSERT INTO activations VALUES ('lidar', 'acme:lidar', '${content}', NULL)`);
      expect(() => activationsIn(file)).toThrow(
        `"${path}": row lidar of activations, column content: `,
      );
    },
  );
});
