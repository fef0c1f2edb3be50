/** What a text is, by the end of its path. */
export type TextKind = 'litmus' | 'nvlitmus' | 'module' | 'model';

export function kindOf(path: string): TextKind {
  if (path.endsWith('.ptx')) return 'module';
  if (path.endsWith('.cat')) return 'model';
  return path.endsWith('.test') ? 'nvlitmus' : 'litmus';
}
