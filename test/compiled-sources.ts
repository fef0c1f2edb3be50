import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Plugin } from 'vitest/config';

/**
 * Takes the modules of `src/` out of `build/`, where tests import them: then each worker need not transform them, and
 * tests have what processes have that they start. What is older than its source is compiled first.
 */
export function compiledSources(root: string): Plugin {
  const [sources, built] = ['src', 'build'].map((folder) => join(root, folder)) as [string, string];
  const outputOf = (path: string): string => join(built, path.replace(/\.ts$/, '.js'));
  return {
    name: 'compiled-sources',
    enforce: 'pre',
    buildStart() {
      const isOld = (path: string): boolean => {
        const output = statSync(outputOf(path), { throwIfNoEntry: false });
        return output === undefined || output.mtimeMs < statSync(join(sources, path)).mtimeMs;
      };
      const all = readdirSync(sources, { recursive: true, encoding: 'utf8' });
      if (!all.some((path) => path.endsWith('.ts') && !path.endsWith('.d.ts') && isOld(path))) return;
      console.log('compiles src/, of which build/ is older');
      execFileSync('npx', ['tsc', '-p', 'tsconfig.json'], { cwd: root, stdio: 'inherit' });
    },
    async resolveId(id, importer, options) {
      if (importer === undefined || !id.startsWith('.')) return null;
      const found = await this.resolve(id, importer, { ...options, skipSelf: true });
      const path = found === null ? '..' : relative(sources, found.id);
      return path.startsWith('..') || !path.endsWith('.ts') ? null : { id: outputOf(path), external: true };
    },
  };
}
