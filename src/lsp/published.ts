import type { Diagnostic } from 'vscode-languageserver/node';

/** What is to be said of files: a test may say something of itself, of its modules and of the program behind them. */
export class Published {
  /** By file, then by who says it. */
  private readonly said = new Map<string, Map<string, readonly Diagnostic[]>>();

  constructor(private readonly publish: (uri: string, diagnostics: readonly Diagnostic[]) => void) {}

  /** In place of what was said by the same before, of whatever files. */
  say(by: string, diagnostics: ReadonlyMap<string, readonly Diagnostic[]>): void {
    const changed = new Set<string>(diagnostics.keys());
    for (const [uri, of] of this.said) if (of.delete(by)) changed.add(uri);
    for (const [uri, list] of diagnostics) {
      const of = this.said.get(uri) ?? new Map<string, readonly Diagnostic[]>();
      of.set(by, list);
      this.said.set(uri, of);
    }
    for (const uri of changed) {
      const of = this.said.get(uri);
      this.publish(uri, [...(of?.values() ?? [])].flat());
      if (of?.size === 0) this.said.delete(uri);
    }
  }
}
