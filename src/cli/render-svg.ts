/** Draws a graph of Graphviz whose nodes have their places: only the arrows are routed. Graphviz comes as WASM, loaded when it is needed. */
export async function renderSvg(dot: string): Promise<string> {
  const { instance } = await import('@viz-js/viz');
  const viz = await instance();
  return viz.renderString(dot, { format: 'svg', engine: 'nop' });
}
