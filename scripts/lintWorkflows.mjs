/** `npm run lint:workflows`: checks the files in `.github/workflows` against GitHub's syntax. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { validateWorkflow } from '@action-validator/core';

const FOLDER = '.github/workflows';
const problems = readdirSync(FOLDER).flatMap((name) =>
  validateWorkflow(readFileSync(join(FOLDER, name), 'utf8')).errors.map(
    (error) => `${FOLDER}/${name}: ${error.path ?? ''} ${error.title} ${error.detail ?? ''}`,
  ),
);

if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exit(1);
}
