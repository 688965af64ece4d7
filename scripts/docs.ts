/** `npm run docs`: writes the README's table of operations anew from the operations themselves. */
import { readFileSync, writeFileSync } from 'node:fs';
import { withCurrentTable } from '../test/readmeTable';

writeFileSync('README.md', withCurrentTable(readFileSync('README.md', 'utf8')));
