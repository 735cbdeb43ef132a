import type { Machine } from '../../config/index.ts';
import { eventName } from '../../logs/event-name.ts';
import { systemClock } from '../../registry/clock.ts';
import { openBoard } from '../board/board-command.ts';
import type { PollReport } from '../poll/poll-report.ts';

/** Returns how to log the fake boards that fail at startup (D46): each once, and again after the config was corrected. */
export function noteFailedBoards(
  report: Pick<PollReport, 'note'>,
): (machine: Pick<Machine, 'components'>) => void {
  let known = new Set<string>();
  return ({ components }) => {
    const boards = components.flatMap((component) => openBoard(component, systemClock));
    const failed = boards.flatMap((board) => (board.ok ? [] : [board.error.message]));
    for (const message of failed) {
      if (known.has(message)) continue;
      const name = eventName('agent', 'board-failed');
      report.note('error', `component ${message}`, { name });
    }
    known = new Set(failed);
  };
}
