/** What a search for mistakes asks of both engines, bundled with a mistake in them. */
export { exploreProgram } from '../../src/check/check-operationally.js';
export { crossCheck } from '../../src/check/cross-check.js';
