import { endpointName } from '../nodes/shared/model/endpoint';
import { actionNodes } from './operations';

export const TABLE_START = '<!-- operations: written by `npm run docs`, do not edit by hand -->';
export const TABLE_END = '<!-- end of operations -->';

const row = (cells: string[]) => `| ${cells.join(' | ')} |`;

/** The README's table of nodes, resources and operations, from the operations' own data. */
export function operationsTable(): string {
  const lines = actionNodes().flatMap(({ displayName, resources }) => [
    `### ${displayName}`,
    '',
    row(['Resource', 'Operation', 'What it does', 'Endpoints']),
    row(['---', '---', '---', '---']),
    ...resources.flatMap((resource) =>
      [...resource.operations]
        .sort((a, b) => a.displayName.localeCompare(b.displayName))
        .map((operation) =>
          row([
            resource.displayName,
            operation.displayName,
            operation.description,
            [...new Set(operation.endpoints.map((endpoint) => `\`${endpointName(endpoint)}\``))].join('<br>'),
          ]),
        ),
    ),
    '',
  ]);
  return [
    TABLE_START,
    '<!-- prettier-ignore-start -->',
    '',
    ...lines,
    '<!-- prettier-ignore-end -->',
    TABLE_END,
  ].join('\n');
}

/** `readme` with its table replaced by the current one. */
export function withCurrentTable(readme: string): string {
  const [before, rest] = readme.split(TABLE_START);
  const after = rest?.split(TABLE_END)[1];
  if (before === undefined || after === undefined)
    throw new Error('README.md has lost the marks of its operations table');
  return before + operationsTable() + after;
}
