import { compareSeek } from '../../operational/compare-seek.js';
import type { Judge } from '../judge.js';

export const seekFindsAll: Judge = {
  name: 'looking for outcomes finds what a whole exploration finds, where there are reads and writes only',
  every: 6,
  judge: ({ program }, count) => count(compareSeek(program)),
};
