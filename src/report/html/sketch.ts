import { MARK } from '../graph/themes.js';
import { escaped } from '../markup.js';
import type { ReportedSteps } from './reported-page.js';

const WIDTH = 300;
const GAP = 90;
const TOP = 34;
const HEIGHT = 48;
const MOST_LETTERS = 40;

/** A picture of what conflicts where no execution was made: a box for each thread, and what is between them. */
export function sketchOf(title: string, threads: readonly ReportedSteps[]): string {
  const width = threads.length * (WIDTH + GAP) - GAP + 4;
  const boxes = threads.map(({ name, steps: [step] }, i) => {
    const x = 2 + i * (WIDTH + GAP);
    const line = (text: string, y: number, more: string): string =>
      `<text x="${x + WIDTH / 2}" y="${y}" text-anchor="middle" ${more}>${escaped(shortened(text))}</text>`;
    return (
      line(name, TOP - 12, 'font-size="14"') +
      `<rect x="${x}" y="${TOP}" width="${WIDTH}" height="${HEIGHT}" rx="6" fill="white" stroke="${MARK}" ` +
      'stroke-width="2.5"/>' +
      line(`${step?.letter ?? ''}: ${step?.quote ?? ''}`, TOP + 20, `font-size="12" font-family="${MONO}"`) +
      line(step?.at ?? '', TOP + 38, 'font-size="11" fill="#505050"')
    );
  });
  const arrows = threads.slice(1).map((_, i) => {
    const x = 2 + i * (WIDTH + GAP) + WIDTH;
    const y = TOP + HEIGHT / 2;
    return (
      `<path d="M${x + 4} ${y} H${x + GAP - 4}" stroke="${MARK}" stroke-width="3" stroke-dasharray="6 4"/>` +
      `<text x="${x + GAP / 2}" y="${y - 8}" text-anchor="middle" font-size="12" fill="${MARK}">conflict</text>`
    );
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${TOP + HEIGHT + 4}" width="${width}" ` +
      `height="${TOP + HEIGHT + 4}" role="img" font-family="Helvetica, Arial, sans-serif">`,
    `<title>${escaped(title)}</title>`,
    ...boxes,
    ...arrows,
    '</svg>',
    '',
  ].join('\n');
}

const MONO = 'Courier New, Courier, monospace';
const shortened = (text: string): string => (text.length > MOST_LETTERS ? `${text.slice(0, MOST_LETTERS - 1)}…` : text);
