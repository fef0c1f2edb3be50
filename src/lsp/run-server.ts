import { createConnection, ProposedFeatures } from 'vscode-languageserver/node';
import { serve } from './server.js';

/** The script of the language server: it speaks over its standard streams. */
serve(createConnection(ProposedFeatures.all, process.stdin, process.stdout));
