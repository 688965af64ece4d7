import { formatEndpoint } from '../nodes/client/endpoints/endpoint';
import { loadActionNodes } from './operations';

export const PAGE = 'docs/operations.md';

const INTRODUCTION = `<!-- Written by \`npm run docs\` from the operations themselves; do not edit by hand. -->
<!-- prettier-ignore-start -->

# Nodes, resources and operations

All 79 endpoints of the service have an operation. The last column lists what an operation may call.
[\`trigger.md\`](trigger.md) and [\`polling-trigger.md\`](polling-trigger.md) describe the triggers.`;

const formatRow = (cells: string[]) => `| ${cells.join(' | ')} |`;

/** The page of nodes, resources and operations. */
export function formatOperationsPage(): string {
  const sections = loadActionNodes().map(({ displayName, resources }) =>
    [
      `## ${displayName}`,
      '',
      formatRow(['Resource', 'Operation', 'What it does', 'Endpoints']),
      formatRow(['---', '---', '---', '---']),
      ...resources.flatMap((resource) =>
        resource.operations.map((operation) =>
          formatRow([
            resource.displayName,
            operation.displayName,
            operation.description,
            [...new Set(operation.endpoints.map((endpoint) => `\`${formatEndpoint(endpoint)}\``))].join(
              '<br>',
            ),
          ]),
        ),
      ),
    ].join('\n'),
  );
  return [INTRODUCTION, ...sections, '<!-- prettier-ignore-end -->'].join('\n\n') + '\n';
}
