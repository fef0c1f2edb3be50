import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import type { ModuleText } from '../diagnostics/source.js';
import { compileProgram, isProgram } from '../files/compile-program.js';
import { readText } from '../files/read-text.js';
import type { Draft } from '../interactive/questions.js';
import { namedModules, nvccOfPrograms } from '../syntax/named-modules.js';

/** The path of a document; that of one without a file is its URI. */
export const pathOf = (uri: string): string => (uri.startsWith('file:') ? fileURLToPath(uri) : uri);
export const uriOf = (path: string): string => (isAbsolute(path) ? pathToFileURL(path).href : path);

/** A document as what is asked about; the modules that its launches name as they stand in the editor, or on disk. */
export function draftOf(document: TextDocument, openText: (uri: string) => string | undefined): Draft {
  const path = pathOf(document.uri);
  const text = document.getText();
  const names = namedModules(text);
  if (names.length === 0) return { path, text };
  const nvcc = nvccOfPrograms(text);
  const modules = names.flatMap((name): readonly (readonly [string, ModuleText])[] => {
    const at = besideOf(path, name);
    if (isProgram(at) && existsSync(at)) return [[name, compileProgram(at, { ofTest: nvcc.get(name) ?? [] })]];
    const found = openText(uriOf(at)) ?? textAt(at);
    return found === undefined ? [] : [[name, { path: name, text: found }]];
  });
  const texts = modules.flatMap(([name, one]) => ('problem' in one ? [] : [[name, one.text] as const]));
  const problems = modules.flatMap(([name, one]) => ('problem' in one ? [[name, one.problem] as const] : []));
  return { path, text, modules: Object.fromEntries(texts), problems: Object.fromEntries(problems) };
}

/** A file that a test, or what is found in it, names by its path from the folder of the test. */
export const besideOf = (test: string, name: string): string => (isAbsolute(name) ? name : join(dirname(test), name));

function textAt(path: string): string | undefined {
  if (!existsSync(path)) return undefined;
  try {
    return readText(path);
  } catch {
    // What cannot be read is told by what the test says of it.
    return undefined;
  }
}
