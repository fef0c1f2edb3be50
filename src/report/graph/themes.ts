/** How an arrow looks. */
export interface EdgeStyle {
  readonly color: string;
  /** Of Graphviz. */
  readonly style: 'solid' | 'dashed' | 'dotted';
  /** No arrow head: both ends are alike. */
  readonly undirected?: true;
  readonly double?: true;
}

export const THEMES = ['herd', 'colorblind', 'mono'] as const;
/** `legible`: those of herd, but every label with a contrast of 4.5 on white. */
export type Theme = (typeof THEMES)[number] | 'legible';

const SOLID = { style: 'solid' } as const;
const DASHED = { style: 'dashed' } as const;
const DOTTED = { style: 'dotted' } as const;

/**
 * The relations that are drawn unless something else is asked for, the first first where several relate two events, in
 * the colors of herd7, as far as it has them. What a model defines takes `OTHER`.
 */
const HERD: Readonly<Record<string, EdgeStyle>> = {
  po: { color: '#444444', ...SOLID },
  rf: { color: 'red', ...SOLID },
  co: { color: 'blue', ...SOLID },
  fr: { color: '#e08000', ...DASHED },
  rmw: { color: '#8b1a1a', ...SOLID, double: true },
  addr: { color: 'indigo', ...DOTTED },
  data: { color: 'indigo', ...DOTTED },
  ctrl: { color: 'indigo', ...DOTTED },
  issue: { color: '#444444', ...DOTTED },
  done: { color: 'darkgreen', ...DASHED },
  mbphase: { color: 'darkgreen', ...SOLID },
  syncbar: { color: 'darkgreen', ...SOLID, undirected: true, double: true },
  syncwarp: { color: 'darkgreen', ...SOLID, undirected: true, double: true },
  syncclu: { color: 'darkgreen', ...SOLID },
  sync_fence: { color: 'darkgreen', ...SOLID },
};
export const USUAL_RELATIONS: readonly string[] = Object.keys(HERD);
const OTHER: EdgeStyle = { color: 'brown', style: 'solid' };

/** The palette of Okabe and Ito. */
const COLORBLIND: Readonly<Record<string, string>> = {
  red: '#d55e00',
  blue: '#0072b2',
  '#e08000': '#e69f00',
  '#8b1a1a': '#000000',
  indigo: '#cc79a7',
  darkgreen: '#009e73',
  brown: '#56b4e9',
};

/** The colors of herd that are too light for letters on white. */
const LEGIBLE: Readonly<Record<string, string>> = { red: '#d00000', '#e08000': '#9c5800' };

/** Around events that stand out, under every theme: their border is thicker, too. */
export const MARK = '#d00000';

/** Between two events that race: in no model a relation of this name. */
export const RACE = 'race!';
const RACING: EdgeStyle = { color: MARK, ...DASHED, undirected: true };

export function edgeStyle(theme: Theme, relation: string): EdgeStyle {
  const style = relation === RACE ? RACING : (HERD[relation] ?? OTHER);
  if (theme === 'herd') return style;
  if (theme === 'legible') return { ...style, color: LEGIBLE[style.color] ?? style.color };
  return { ...style, color: theme === 'mono' ? 'black' : (COLORBLIND[style.color] ?? style.color) };
}
