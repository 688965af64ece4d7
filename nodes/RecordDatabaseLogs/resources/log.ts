import { logParameter } from '../../n8n/lists/logParameter';
import type { Item } from '../../n8n/operation/item';
import { type Operation, type Resource, toOutputs } from '../../n8n/operation/operation';
import {
  buildTotals,
  includeTotalOption,
  readListRange,
  limitParameters,
  startPageOption,
} from '../../n8n/operation/returnAll';
import { createSimplifyParameter, simplifyEntry } from '../../n8n/operation/simplify';
import { createOptions, defineParameter } from '../../n8n/parameters/parameter';
import { DATE_TIME_FORMAT, formatDateTime } from '../../records';
import { formatForError, InputError, readLog } from '../../service';

const simplifyLogParameter = createSimplifyParameter(
  'Flat entries without empty values: the name in "user" becomes "user_name". The text of an email, "body", is left out.',
);

const sinceOption = defineParameter({
  displayName: 'Since',
  name: 'since',
  type: 'dateTime',
  default: '',
  description:
    'Only entries from this time on. A date is converted from the time zone of the workflow to the Service Time Zone of the credential; a text such as 2025-03-31 08:00:00, the form of "created_at", is not.',
});

const logStartPageOption = {
  ...startPageOption,
  description:
    'Page of the log to return. A page has as many entries as Limit, which must be a multiple of 50. With a page for each turn, a loop reads a log of any length.',
};

const logOptionsParameter = createOptions(sinceOption, includeTotalOption, logStartPageOption);

/** @returns the date in the format and time zone of `created_at`; undefined if Since is empty. @throws InputError */
function readSinceOption(item: Item): string | undefined {
  const since = item.readOption(sinceOption);
  // An empty field means all entries. An expression that returns nothing is an error, which is thrown below.
  if (!item.hasOption(sinceOption) || since === '') return undefined;
  // `formatDateTime` does not convert a text in the format of `created_at`, which has the service's time zone.
  const text = formatDateTime(since, DATE_TIME_FORMAT, item.timeZone, item.client.serviceTimeZone);
  if (text !== undefined) return text;
  throw new InputError(
    `Since cannot be ${formatForError(since)}`,
    'Give a date and time such as 2025-03-31T08:00:00.',
  );
}

/** Simplify leaves out `body`, the HTML of an email. */
const OMITTED_LOG_KEYS = new Set(['body']);

const getAll: Operation = {
  name: 'getAll',
  displayName: 'Get Many',
  action: 'Get many log entries',
  description:
    'Get logins, failed logins, page views, e-mails, sessions, blocked users and IPs, or activities of builders',
  parameters: [logParameter, ...limitParameters, simplifyLogParameter, logOptionsParameter],
  async run(item) {
    const range = readListRange(item);
    const { entries, total } = await readLog(item.client, {
      ...range,
      log: item.read(logParameter),
      since: readSinceOption(item),
    });
    const isSimplified = item.read(simplifyLogParameter) === 'on';
    const shown = isSimplified ? entries.map((entry) => simplifyEntry(entry, OMITTED_LOG_KEYS)) : entries;
    const totals = buildTotals(item, range, total);
    return toOutputs(shown).map(({ json }) => ({ json: { ...json, ...totals } }));
  },
};

/** Spec: Logs. */
export const log: Resource = { name: 'log', displayName: 'Log', operations: [getAll] };
