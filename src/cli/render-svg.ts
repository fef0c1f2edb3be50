import { UsageError } from '../diagnostics/usage-error.js';

/**
 * Draws a graph of Graphviz whose nodes have their places: only the arrows are routed. Graphviz comes as WASM, loaded
 * when it is needed.
 */
export async function renderSvg(dot: string): Promise<string> {
  const { instance } = await import('@viz-js/viz').catch(() => {
    throw new UsageError(
      'pictures need the optional package @viz-js/viz, which is not installed: npm install @viz-js/viz; --format ' +
        'ascii and --format dot do without',
    );
  });
  const viz = await instance();
  return viz.renderString(dot, { format: 'svg', engine: 'nop' });
}
