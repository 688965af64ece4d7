import { defaultOptions, type ServiceOptions } from './options';

interface Reading<Value> {
  /** Section of the specification that leaves the point open. */
  section: string;
  /** The default first. */
  values: readonly Value[];
}

/** The points that the specification leaves open, with the values that tests run under. */
export const READINGS = {
  timeZone: {
    section: 'Resources and their fields',
    values: ['UTC', 'Europe/Berlin', 'America/New_York', 'Pacific/Kiritimati', 'Etc/GMT+12'],
  },
  omittedNumber: { section: 'Field-type value formats', values: [null, 0] },
  columnsResponse: { section: 'Records: List query parameters', values: ['withId', 'exact'] },
  unknownConnection: { section: 'Field-type value formats', values: ['refused', 'dropped'] },
  changeAnswers: {
    section: 'Records: no response to an update; Endpoints: "not shown"',
    values: ['whole', 'bare', 'empty', 'noContent', 'half', 'cut', 'doubled'],
  },
  readAnswers: { section: 'Errors', values: ['whole', 'empty', 'noContent', 'half', 'cut', 'doubled'] },
  createAnswer: { section: 'Records: Create response', values: ['item', 'none'] },
  batchGroups: { section: 'Records: Batch-update request', values: ['all', 'any'] },
  storedText: {
    section: 'Field-type value formats: not shown',
    values: [[], ['trimmed', 'lowerEmails', 'composed'], ['upperCase']],
  },
  symbolicEquality: { section: 'Filters', values: ['is', 'exact'] },
  brokenFilter: { section: 'Filters', values: ['dropped', 'matchesNothing'] },
  missingRecord: { section: 'Errors', values: [404, 400, 422] },
  systemColumns: { section: 'Record', values: ['known', 'dropped', 'listed'] },
  logOrder: { section: 'Logs', values: ['newestFirst', 'oldestFirst'] },
  pagesShape: { section: 'Layouts, pages and components', values: ['items', 'pages'] },
  publicPages: {
    section: 'Layouts, pages and components: Component rules',
    values: ['withKeys', 'withoutKeys'],
  },
  pdfResponse: { section: 'Layouts, pages and components: not shown', values: ['url', 'binary', 'base64'] },
  queueIdKey: { section: 'Layouts, pages and components: not shown', values: ['queue_id', 'id'] },
  automationWord: { section: 'Automations', values: ['automation', 'task'] },
  finishedExecutions: { section: 'Tasks', values: ['shown', 'hidden'] },
  statusWords: {
    section: 'States and transitions',
    values: [
      defaultOptions.statusWords,
      {
        executionRunning: 'start',
        executionEnded: 'succeed',
        executionTerminated: 'terminate',
        importRunning: 'Processing',
        importEnded: 'Completed',
        exportRunning: 'Queued',
        exportEnded: 'Complete',
      },
    ],
  },
  listKey: { section: 'Endpoints', values: ['items', 'data'] },
  itemKey: { section: 'Endpoints', values: ['item', 'data'] },
  importHeading: { section: 'Import queue entry', values: ['skipped', 'counted'] },
  templateTable: { section: 'Resources: not shown beyond their identifiers', values: ['named', 'hidden'] },
  webhooksKey: { section: 'Webhooks', values: ['items', 'webhooks'] },
  webhooksOfAllTables: { section: 'Webhooks', values: ['listed', 'refused'] },
  hookQuery: { section: 'Events', values: ['kept', 'dropped', 'droppedOnDelivery'] },
  deliveryFields: { section: 'Events', values: ['all', 'touched'] },
  dayRetryAfter: { section: 'Limits', values: ['day', 'minute'] },
} satisfies { [Name in keyof ServiceOptions]?: Reading<ServiceOptions[Name]> };

export type ReadingName = keyof typeof READINGS;

/**
 * Options for `test.each` and `describe.each`: the defaults, then every other value of the named points,
 * one at a time. `[['default', {}], ['createAnswer: "none"', { createAnswer: 'none' }], ...]`.
 */
export function listReadings(...names: ReadingName[]): [title: string, options: Partial<ServiceOptions>][] {
  const others = names.flatMap((name) =>
    READINGS[name].values
      .slice(1)
      .map((value): [string, Partial<ServiceOptions>] => [
        `${name}: ${JSON.stringify(value)}`,
        { [name]: value },
      ]),
  );
  return [['default', {}], ...others];
}
