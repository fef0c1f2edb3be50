import { type IndexedTest, indexed, suitePage } from '../html/suite-page.js';
import { testSection } from '../html/test-section.js';
import { isFound, pageVerdict } from '../html/verdict.js';
import type { MakeReporter } from './reporter.js';

/** More than a reader goes through, or a browser takes: what else was found is in the index. */
const MOST_SECTIONS = 200;

/** One page for a browser. Of tests that are as expected there is a row, and a section only where there are few. */
export const htmlReporter: MakeReporter = ({ tool, quoted }) => {
  const tests: IndexedTest[] = [];
  let sections = 0;
  return {
    result: (test, source) => {
      const isShown = (isFound(pageVerdict(test)) || test.page !== undefined) && sections < MOST_SECTIONS;
      if (isShown) sections += 1;
      const id = `test-${tests.length + 1}`;
      const section = isShown ? testSection(test, id, (path) => quoted?.(path, source)) : undefined;
      tests.push(indexed(test, id, section));
      return '';
    },
    end: (run) => suitePage(tests, run, `${tool.name} ${tool.version}`),
  };
};
