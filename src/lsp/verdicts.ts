import type { TextDocument } from 'vscode-languageserver-textdocument';
import type { Asking } from '../interactive/asking.js';
import type { Draft, ModelDraft, Verdicts } from '../interactive/questions.js';
import { Turns } from './turns.js';

/** What is known of the tests of one version of a document. */
export interface KnownVerdicts {
  readonly version: number;
  readonly verdicts: Verdicts;
  /** Whether somebody beside the search has looked at them. */
  readonly isConfirmed: boolean;
}

/** In milliseconds: who is still typing need not wait for z3. */
const PAUSE = 200;

/**
 * Asks for the verdicts of documents: the search answers at once, and is then confirmed. Of each document
 * the newest version counts.
 */
export class VerdictSource {
  private readonly known = new Map<string, KnownVerdicts>();
  private readonly searches: Turns<TextDocument>;
  private readonly confirmations: Turns<TextDocument>;

  constructor(
    private readonly search: Asking,
    private readonly confirming: Asking,
    private readonly question: (document: TextDocument) => { readonly draft: Draft; readonly model: ModelDraft },
    /** Hears that something new is known of a document. */
    private readonly told: (document: TextDocument, known: KnownVerdicts) => void,
    failed: (why: unknown) => void,
  ) {
    this.searches = new Turns((document) => this.decide(document), failed);
    this.confirmations = new Turns((document) => this.confirm(document), failed);
  }

  of({ uri, version }: TextDocument): KnownVerdicts | undefined {
    const known = this.known.get(uri);
    return known?.version === version ? known : undefined;
  }

  /** A document as it is now. */
  changed(document: TextDocument): void {
    const { uri } = document;
    // One that is being decided is replaced; others wait for their turn.
    if (this.searches.current === uri) this.search.giveUp('check');
    if (this.confirmations.current === uri) this.confirming.giveUp('check');
    this.searches.add(uri, document);
  }

  closed(uri: string): void {
    this.searches.remove(uri);
    this.confirmations.remove(uri);
    this.known.delete(uri);
  }

  private async decide(document: TextDocument): Promise<void> {
    const { version } = document;
    const verdicts = await this.search.ask('check', this.question(document));
    if (verdicts === undefined || document.version !== version) return;
    this.keep(document, { version, verdicts, isConfirmed: false });
    if (verdicts.tests.length > 0) this.confirmations.add(document.uri, document);
  }

  private async confirm(document: TextDocument): Promise<void> {
    const { version } = document;
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
    if (this.of(document) === undefined) return;
    const verdicts = await this.confirming.ask('check', this.question(document));
    if (verdicts === undefined || document.version !== version || this.of(document) === undefined) return;
    this.keep(document, { version, verdicts, isConfirmed: true });
  }

  private keep(document: TextDocument, known: KnownVerdicts): void {
    this.known.set(document.uri, known);
    this.told(document, known);
  }
}
