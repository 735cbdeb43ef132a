import { openFakeBoard, type FakeBoard } from '../../../src/board/index.ts';
import type { FakeBoardAttributes } from '../../../src/config/index.ts';
import { virtualClock, type VirtualClock } from '../../../src/testing/index.ts';

/** An analog reader with this averaging. */
export function analog(
  name: string,
  averageOverMs?: number,
  samplesPerSec?: number,
): FakeBoardAttributes['analogs'][number] {
  return { name, pin: '0', chipSelect: '0', spiBus: '0', averageOverMs, samplesPerSec };
}

/** A board that works, with parts of its attributes, on a clock that a test advances. */
export function opened(
  attributes: Partial<FakeBoardAttributes>,
  options: Parameters<typeof openFakeBoard>[1] = {},
): { readonly board: FakeBoard; readonly clock: VirtualClock } {
  const clock = virtualClock(Date.parse('2026-11-21T12:00:00Z'));
  const all = { failNew: false, analogs: [], digitalInterrupts: [], ...attributes };
  const board = openFakeBoard(all, { clock, ...options });
  if (!board.ok) throw new Error(board.error);
  return { board: board.value, clock };
}
