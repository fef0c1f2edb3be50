import {
  type CodeAction,
  type CodeLens,
  CodeLensRefreshRequest,
  type CompletionItem,
  type Connection,
  type Diagnostic,
  type TextDocuments,
} from 'vscode-languageserver/node';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import type { Asking } from '../interactive/asking.js';
import { marksOf } from '../interactive/marks.js';
import type { About, Draft, Finding, Mark } from '../interactive/questions.js';
import { sourceOf } from '../interactive/source-of.js';
import { completionsAt } from '../language/completions.js';
import { diagnose } from '../language/diagnose.js';
import { kindOf } from '../language/text-kind.js';
import { PLAIN, restyled } from '../report/text.js';
import { askingThread } from './ask-thread.js';
import { besideOf, draftOf, pathOf, uriOf } from './documents.js';
import { adviceFixes, spellingFixes } from './fixes.js';
import { NODE_MODELS } from './node-models.js';
import { completionKind, diagnosticOf, findingDiagnostic, lensTitle } from './protocol.js';
import { Published } from './published.js';
import { type KnownVerdicts, VerdictSource } from './verdicts.js';

/** What a client may choose, in `initializationOptions`. */
export interface Settings {
  /** A model by its name, or a `.cat` file. */
  readonly model: string;
  /** What a test may take, in milliseconds. */
  readonly timeout: number;
  /** The client asks anew for lenses when it is told to. */
  readonly refreshesLenses: boolean;
}

/** The command that gives the explanation of a test; it takes its URI and its number. */
export const EXPLAIN = 'ptx-litmus.explain';

/** Says that a version of a document is decided; `isFinal`: and that nobody is asked any more to confirm it. */
export const DECIDED = 'ptx-litmus/decided';

/** What is known of the open documents of a client, from its first word to its last. */
export class Session {
  private readonly published: Published;
  private readonly search: Asking;
  private readonly confirming: Asking;
  /** What is asked by hand, and may take long. */
  private readonly views: Asking;
  private readonly verdicts: VerdictSource;

  constructor(
    private readonly connection: Connection,
    private readonly documents: TextDocuments<TextDocument>,
    private readonly settings: Settings,
  ) {
    const { timeout } = settings;
    this.search = askingThread({ confirms: false, timeout });
    this.confirming = askingThread({ confirms: true, timeout });
    this.views = askingThread({ confirms: false, timeout });
    for (const one of [this.search, this.confirming]) one.prepare();
    this.published = new Published((uri, diagnostics) => {
      const version = documents.get(uri)?.version;
      void connection.sendDiagnostics({
        uri,
        diagnostics: [...diagnostics],
        ...(version !== undefined && { version }),
      });
    });
    this.verdicts = new VerdictSource(
      this.search,
      this.confirming,
      (document) => this.about(document),
      (document, known) => this.tell(document, known),
      (why) => connection.console.error(why instanceof Error ? (why.stack ?? why.message) : String(why)),
    );
  }

  end(): void {
    for (const one of [this.search, this.confirming, this.views]) one.end();
  }

  draft(document: TextDocument): Draft {
    return draftOf(document, (uri) => this.documents.get(uri)?.getText());
  }

  private about(document: TextDocument): Omit<About, 'test'> {
    return { draft: this.draft(document), model: { name: this.settings.model } };
  }

  /** Mistakes at once, verdicts when they are there; a module belongs to the tests that launch it. */
  changed(document: TextDocument): void {
    const { uri } = document;
    const draft = this.draft(document);
    // What the threads of a launch do is followed in a thread, with the verdicts.
    if (draft.modules === undefined)
      this.say(document, marksOf(diagnose(sourceOf(draft), NODE_MODELS.include).diagnostics), []);
    if (isTest(document)) this.verdicts.changed(document);
    for (const other of this.documents.all()) if (this.launches(other, uri)) this.verdicts.changed(other);
  }

  closed({ uri }: TextDocument): void {
    this.verdicts.closed(uri);
    this.published.say(uri, new Map());
  }

  private launches(test: TextDocument, uri: string): boolean {
    if (test.uri === uri || !isTest(test)) return false;
    const names = Object.keys(this.draft(test).modules ?? {});
    return names.some((name) => uriOf(besideOf(pathOf(test.uri), name)) === uri);
  }

  private tell(document: TextDocument, { version, verdicts, isConfirmed }: KnownVerdicts): void {
    const { marks, findings, tests } = verdicts;
    this.say(document, marks, findings);
    const isFinal = isConfirmed || tests.length === 0;
    void this.connection.sendNotification(DECIDED, { uri: document.uri, version, isFinal });
    if (this.settings.refreshesLenses)
      void this.connection.sendRequest(CodeLensRefreshRequest.type).catch(() => undefined);
  }

  private say(document: TextDocument, marks: readonly Mark[], findings: readonly Finding[]): void {
    const path = pathOf(document.uri);
    const said = new Map<string, Diagnostic[]>([[document.uri, []]]);
    const add = (of: string, diagnostic: Diagnostic): void => {
      const uri = of === path || of === '' ? document.uri : uriOf(besideOf(path, of));
      said.set(uri, [...(said.get(uri) ?? []), diagnostic]);
    };
    for (const one of marks) add(one.path, diagnosticOf(one));
    for (const one of findings) add(one.path, findingDiagnostic(one));
    this.published.say(document.uri, said);
  }

  complete(document: TextDocument, offset: number): CompletionItem[] {
    const end = document.positionAt(offset);
    return completionsAt(pathOf(document.uri), document.getText(), offset).map(({ start, text, kind, detail }) => ({
      ...{ label: text, detail, kind: completionKind(kind), filterText: text },
      textEdit: { range: { start: document.positionAt(start), end }, newText: text },
    }));
  }

  /** Above each condition what was found of it; nothing where that is not known of the text as it is. */
  lenses(document: TextDocument): CodeLens[] {
    const { tests = [] } = this.verdicts.of(document)?.verdicts ?? {};
    return tests.flatMap((test, number) =>
      test.claims.map((claim): CodeLens => {
        const at = { line: Number(claim.line) - 1, character: 0 };
        const command = {
          title: lensTitle(claim, test.confirmation),
          command: EXPLAIN,
          arguments: [document.uri, number],
        };
        return { range: { start: at, end: at }, command };
      }),
    );
  }

  /** Spellings at once; where a condition of that line is broken, what would mend the test. */
  async actions(document: TextDocument, diagnostics: readonly Diagnostic[], lines: LineRange): Promise<CodeAction[]> {
    const spelled = spellingFixes(document, diagnostics);
    const { version } = document;
    const { tests = [], findings = [] } = this.verdicts.of(document)?.verdicts ?? {};
    const within = (line: number): boolean => lines.start.line <= line - 1 && line - 1 <= lines.end.line;
    const isBroken =
      tests.some(({ claims }) => claims.some(({ outcome, line }) => outcome === 'broken' && within(Number(line)))) ||
      findings.some(({ path, line }) => path === pathOf(document.uri) && within(line));
    if (!isBroken) return [...spelled];
    const about = this.about(document);
    const given = await this.views.ask('mend', about);
    if (given === undefined || document.version !== version) return [...spelled];
    return [...spelled, ...adviceFixes(document.uri, given.changes, about.draft)];
  }

  /** The explanation of a test. */
  async explain(uri: unknown, test: unknown): Promise<string> {
    const document = this.documents.get(String(uri));
    if (document === undefined) return `${String(uri)} is not open`;
    this.views.giveUp();
    const given = await this.views.ask('explain', { ...this.about(document), test: Number(test ?? 0) });
    return given === undefined ? 'asked again meanwhile' : restyled(given.text, PLAIN);
  }
}

interface LineRange {
  readonly start: { readonly line: number };
  readonly end: { readonly line: number };
}

function isTest({ uri }: TextDocument): boolean {
  const kind = kindOf(pathOf(uri));
  return kind === 'litmus' || kind === 'nvlitmus';
}
