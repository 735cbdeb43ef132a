export type { FakeBoard } from './fake-board.ts';
export { openFakeBoard } from './open-fake-board.ts';
