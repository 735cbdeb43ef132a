import { basename } from 'node:path';
import { excerpt } from '../../core/text/quote.ts';
import type { SentBytes } from '../../site/uploads.ts';
import { drawingPace, transferBar } from '../base/transfer-bar.ts';

/** Returns a function that calls `show` with the bar of the file that is sent, four times a second at most (D471). */
export function uploadStatus(
  show: (text: string | undefined) => void,
  now: () => number,
): (sent: SentBytes) => void {
  let last: SentBytes | undefined;
  let begunAt = 0;
  const isDue = drawingPace();
  return (sent) => {
    const at = now();
    // An attempt after a lost connection begins again.
    const isNew = last?.path !== sent.path || sent.bytes < last.bytes;
    if (isNew) begunAt = at;
    last = sent;
    if (!isDue(at, isNew)) return;
    const { path, bytes, total } = sent;
    const transferred = { bytes, ms: at - begunAt };
    show(transferBar(excerpt(basename(path)), { bytes, total }, transferred));
  };
}
