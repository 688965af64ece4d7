import { uniq } from 'lodash';
import { formatEndpoint } from '../nodes/service';
import { readCalledEndpoints, SPECIFIED_ENDPOINTS } from './calledEndpoints';
import { loadActionNodes } from './operations';

export const PAGE = 'docs/operations.md';

const INTRODUCTION = `<!-- Written by \`npm run docs\` from the operations themselves; do not edit by hand. -->
<!-- prettier-ignore-start -->

# Nodes, resources and operations

All ${SPECIFIED_ENDPOINTS.length} endpoints of the service have an operation. The last column lists the endpoints that an operation calls, as
the tests of this package record them. A record whose name is given instead of its ID is looked up, which adds calls of
\`POST /api/v1/data-tables/{dataTableId}/records\`. An unclear answer adds calls that read what was changed.
[\`trigger.md\`](trigger.md) and [\`polling-trigger.md\`](polling-trigger.md) describe the triggers.`;

const formatRow = (cells: string[]) => `| ${cells.join(' | ')} |`;

/** The page of nodes, resources and operations. */
export function formatOperationsPage(): string {
  const called = readCalledEndpoints();
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
            uniq(called.get(operation)!.map((endpoint) => `\`${formatEndpoint(endpoint)}\``)).join('<br>'),
          ]),
        ),
      ),
    ].join('\n'),
  );
  return [INTRODUCTION, ...sections, '<!-- prettier-ignore-end -->'].join('\n\n') + '\n';
}
