import type { INodeProperties } from 'n8n-workflow';
import type { Item } from '../../shared/kit/item';
import { DATE_TIME, isDated, isWritten, parseMoment } from '../../shared/model/fields';
import { InputError, shown } from '../../shared/model/inputError';

export const logOptions: INodeProperties = {
  displayName: 'Options',
  name: 'options',
  type: 'collection',
  placeholder: 'Add Option',
  default: {},
  options: [
    {
      displayName: 'Simplify',
      name: 'simplify',
      type: 'boolean',
      default: true,
      description: 'Whether to return a simplified version of the response instead of the raw data',
    },
    {
      displayName: 'Since',
      name: 'since',
      type: 'dateTime',
      default: '',
      description:
        'Only entries from then on. Older pages are not even read, which saves requests. Text exactly as in "created_at" (2025-03-31 08:00:00) is compared as it is; anything else is converted from the time zone of the workflow.',
    },
    {
      displayName: 'Time Zone of the Service',
      name: 'serviceTimeZone',
      type: 'string',
      default: 'UTC',
      placeholder: 'e.g. Europe/Berlin',
      description:
        'In which zone the service writes "created_at". The service does not tell; it is mostly UTC.',
    },
  ],
};

/** "Since" as the service would write it, to compare with `created_at`. @throws InputError */
export function sinceOf(item: Item): string | undefined {
  const { options, timeZone } = item;
  const { since } = options as { since?: unknown };
  // Left empty means all; an expression that found nothing does not.
  if (!('since' in options) || since === '') return undefined;
  // A `created_at` that another node read here: no zone of the workflow may shift it.
  if (isWritten(since, DATE_TIME)) return since;
  const moment = isDated(since) ? parseMoment(since, timeZone) : undefined;
  if (!moment) {
    throw new InputError(
      `Since cannot be ${shown(since)}`,
      'Give a date and time such as 2025-03-31T08:00:00.',
    );
  }
  const zone = item.optional('options.serviceTimeZone', 'Time Zone of the Service') || 'UTC';
  const there = moment.setZone(zone);
  if (there.isValid) return there.toFormat(DATE_TIME);
  throw new InputError(
    `There is no time zone ${shown(zone)}`,
    'Give a name such as UTC or Europe/Berlin under "Time Zone of the Service".',
  );
}
