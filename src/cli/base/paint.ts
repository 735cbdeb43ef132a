import { styleText } from 'node:util';
import type { StateWord } from '../../base/problem.ts';

/** What writes a line in colour. It adds no visible character, so columns stay aligned. */
export type Paint = (line: string) => string;

type Colour = 'green' | 'red' | 'yellow';

export const asIs: Paint = (line) => line;

const COLOURS: Readonly<Record<StateWord['urgency'], Colour>> = {
  attention: 'red',
  waiting: 'yellow',
  settled: 'green',
};

/** The word of a line that says a state, where it is a cell of its own (D391). */
export function paintState(line: string, { word, urgency }: StateWord): string {
  const cell = new RegExp(`(?<=^|  )${word}(?=  |$|: )`);
  return line.replace(cell, (found) => styled(COLOURS[urgency], found));
}

export const paintAnswer: Paint = (line) =>
  /^ {2}\S+ +YES {2}/.test(line)
    ? styled('green', line)
    : line.replace(
        /^(\S+:\d+:\d+ +)(error|warning)(\[\w+\])/,
        (_, place: string, ...rest: string[]) => {
          const [severity = '', code = ''] = rest;
          return `${place}${paintLabel(`${severity}${code}`, severity)}`;
        },
      );

/** The level of a line of a log, after its time. */
export const paintLog: Paint = (line) =>
  line.replace(
    /^(\d{4}-\d\d-\d\dT[\d:.]+Z )(error|warn)\b/,
    (_, time: string, level: string) => `${time}${paintLabel(level, level)}`,
  );

export const paintProblem: Paint = (line) => line.replace(/^(error|warning)\[\w+\]:/, paintLabel);

function paintLabel(label: string, severity: string): string {
  return styled(severity === 'error' ? 'red' : 'yellow', label);
}

function styled(colour: Colour, text: string): string {
  return styleText(colour, text, { validateStream: false });
}
