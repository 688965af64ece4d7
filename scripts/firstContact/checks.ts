import {
  ApiError,
  apiKeyEndpoints,
  asObject,
  type Endpoint,
  exportEndpoints,
  FormBody,
  importEndpoints,
  isObject,
  logEndpoints,
  pageEndpoints,
  pdfPageEndpoints,
  tableEndpoints,
  webhookEndpoints,
} from '../../nodes/service';
import type { Contact, FieldInfo, TableInfo, Values } from './contact';

/** What the checks work with. */
export interface Subject {
  contact: Contact;
  /** A table to read: the scratch table, or else the first table with records. */
  table?: TableInfo;
  /** A table in which records may be created and deleted. */
  scratch?: TableInfo;
  /** Receives deliveries of the service, if it can reach this address. */
  hook?: {
    url: string;
    takeBodies(): Promise<Values[]>;
    /** Whether the last body was a form. */
    isForm?(): boolean;
  };
}

/** One step: what it finds out, as a line of progress, and how. */
export interface Check {
  title: string;
  /** Needs a table in which it may create and delete records. */
  writes?: boolean;
  run(subject: Required<Pick<Subject, 'contact' | 'table'>> & Subject): Promise<void>;
}

/** Of what a text consists, without the text. */
export function describeCharacters(texts: string[]): string {
  const all = texts.join('');
  const kinds = [
    ['capital letters', /[A-Z]/],
    ['small letters', /[a-z]/],
    ['digits', /\d/],
  ] as const;
  const others = [...new Set(all.replace(/[A-Za-z\d]/g, ''))].sort().map((sign) => `"${sign}"`);
  const names = kinds.filter(([, pattern]) => pattern.test(all)).map(([name]) => name);
  const lengths = [...new Set(texts.map(({ length }) => length))].sort((a, b) => a - b);
  return `${[...names, ...others].join(', ')}; ${lengths.length === 1 ? `${lengths[0]} characters` : `${lengths[0]} to ${lengths.at(-1)} characters`}`;
}

const swapCase = (text: string): string =>
  [...text].map((sign) => (sign === sign.toUpperCase() ? sign.toLowerCase() : sign.toUpperCase())).join('');

const findField = ({ fields }: TableInfo, ...types: string[]): FieldInfo | undefined =>
  fields.find(({ type }) => types.some((one) => one.toLowerCase() === type.toLowerCase()));

/** The object `join` is the sure sign; the name of the type is not. */
const findConnection = ({ fields }: TableInfo): FieldInfo | undefined =>
  fields.find(({ join }) => isObject(join));

const TEXT_TYPES = ['Text', 'Short Text', 'Long Text'];

/** The text of a mark, which no record of the user has. */
const createMark = (label: string): string => `First Contact ${label} ${Date.now().toString(36)}`;

/** Whether an error says that the key may not do something, or that the plan lacks it. */
const isForbidden = (error: unknown): boolean =>
  error instanceof ApiError && [401, 403, 404, 412].includes(error.status ?? 0);

const readStatus: Check = {
  title: 'the key and its limits',
  async run({ contact }) {
    await contact.client.call(apiKeyEndpoints.getStatus);
  },
};

const lists: Check = {
  title: 'lists that the documentation does not show',
  async run({ contact }) {
    const endpoints: Array<[string, Endpoint]> = [
      ['layouts', pageEndpoints.listLayouts],
      ['pages', pageEndpoints.list],
      ['imports', importEndpoints.list],
      ['exports', exportEndpoints.list],
      ['PDF templates', pdfPageEndpoints.list],
    ];
    const seen: Record<string, string> = {};
    for (const [name, endpoint] of endpoints) {
      await contact.client.call(endpoint as Endpoint<unknown, never>).catch((error: unknown) => {
        if (!isForbidden(error)) throw error;
      });
      if (contact.last?.status !== 200) continue;
      const keys = Object.entries(contact.lastBody).filter(([, value]) => Array.isArray(value));
      if (keys.length > 0) seen[name] = keys.map(([key]) => key).join(' and ');
    }
    const names = Object.keys(seen);
    const { pages, ...others } = seen;
    const keys = [...new Set(Object.values(others))];
    contact.note({
      id: 'envelopes',
      seen:
        names.length > 0
          ? `Lists are under ${names.map((name) => `"${seen[name]}" (${name})`).join(', ')}`
          : undefined,
      how:
        names.length > 0
          ? 'Read the lists of layouts, pages, imports, exports and PDF templates.'
          : 'The key may read none of these lists.',
      readings: {
        ...(keys.length === 1 && (keys[0] === 'items' || keys[0] === 'data') && { listKey: keys[0] }),
        ...((pages === 'items' || pages === 'pages') && { pagesShape: pages }),
      },
    });
  },
};

const exportWords: Check = {
  title: 'words of a status',
  async run({ contact }) {
    await contact.client.call(exportEndpoints.listQueue).catch((error: unknown) => {
      if (!isForbidden(error)) throw error;
    });
    const items = Array.isArray(contact.lastBody.items) ? (contact.lastBody.items as Values[]) : [];
    const words = [...new Set(items.map(({ status }) => String(status)))].sort();
    contact.note({
      id: 'statusWords',
      seen:
        words.length > 0
          ? `Exports have the status ${words.map((word) => `"${word}"`).join(', ')}`
          : undefined,
      how:
        words.length > 0
          ? 'Read the queue of exports. Nothing was started.'
          : 'The queue of exports is empty, or the key may not read it.',
    });
  },
};

const logOrder: Check = {
  title: 'the order of a log',
  async run({ contact }) {
    const found = await contact.client.call(logEndpoints.logins).then(
      ({ body }) => body.items as Values[],
      (error: unknown) => {
        if (!isForbidden(error)) throw error;
      },
    );
    const dates = (found ?? []).map((entry) => String(entry.created_at));
    const isOrdered = (sign: number) =>
      dates.every((date, n) => n === 0 || Math.sign(date.localeCompare(dates[n - 1]!)) * sign >= 0);
    const isKnown = new Set(dates).size > 1;
    contact.note({
      id: 'logOrder',
      seen: !isKnown
        ? undefined
        : isOrdered(-1)
          ? 'Newest first'
          : isOrdered(1)
            ? 'Oldest first'
            : 'Neither newest nor oldest first',
      how: isKnown
        ? 'Compared the dates of the first page of logins.'
        : 'The key may not read the log, or it has fewer than two dates.',
      readings:
        isKnown && (isOrdered(-1) || isOrdered(1))
          ? { logOrder: isOrdered(-1) ? 'newestFirst' : 'oldestFirst' }
          : undefined,
    });
  },
};

const subscriptions: Check = {
  title: 'the list of webhook subscriptions',
  async run({ contact, table }) {
    const read = async (query: object) => {
      await contact.client.call(webhookEndpoints.list, { query }).catch((error: unknown) => {
        if (!(error instanceof ApiError)) throw error;
      });
      const key = Object.entries(contact.lastBody).find(([, value]) => Array.isArray(value))?.[0];
      return { status: contact.last?.status, key };
    };
    const [one, all] = [await read({ data_table_id: table.id }), await read({})];
    const isListed = all.status === 200;
    contact.note({
      id: 'subscriptionList',
      seen:
        one.key === undefined
          ? undefined
          : `The list is under "${one.key}"; without a table the service ${isListed ? 'lists all tables' : `answers ${all.status}`}`,
      how:
        one.key === undefined
          ? `The list was answered with ${one.status}.`
          : 'Listed the subscriptions of a table, and of none.',
      readings: {
        ...((one.key === 'items' || one.key === 'webhooks') && { webhooksKey: one.key }),
        webhooksOfAllTables: isListed ? 'listed' : 'refused',
      },
    });
  },
};

/** The alphabet of `met` is a part of the plain one: one plain ID of thirteen has no other signs. */
function findIdForm(ids: string[]): 'met' | 'plain' | undefined {
  if (ids.length > 3 && ids.every((id) => /^[\dABDEGJ-RV-Zabdegj-rv-z]{10}$/.test(id))) return 'met';
  return ids.every((id) => /^[A-Za-z\d]+$/.test(id)) ? 'plain' : undefined;
}

/** What one page of records shows. */
const recordList: Check = {
  title: 'a page of records',
  async run({ contact, table }) {
    const items = await contact.list(table, { page: 1, limit: 20 });
    const total = contact.lastBody.total_items;
    const again = await contact.list(table, { page: 1, limit: 20 });
    const ids = items.map(({ id }) => String(id));
    const isStable = again.map(({ id }) => String(id)).join() === ids.join();
    contact.note({
      id: 'totals',
      seen:
        typeof total === 'number'
          ? 'Lists show total_items as a number'
          : `total_items is ${total === undefined ? 'missing' : typeof total}`,
      how: 'Read a page of records.',
    });
    const allIds = [...ids, table.id];
    const form = findIdForm(allIds);
    contact.note({
      id: 'ids',
      seen: describeCharacters(allIds),
      how: `Looked at ${allIds.length} IDs.`,
      readings: form && { ids: form },
    });
    const dates = items.map((item) => String(item.created_at));
    const isOrdered = (sign: number) =>
      dates.every((date, n) => n === 0 || Math.sign(date.localeCompare(dates[n - 1]!)) * sign >= 0);
    contact.note({
      id: 'pageOrder',
      seen:
        items.length < 2
          ? undefined
          : `${isOrdered(1) ? 'Oldest first' : isOrdered(-1) ? 'Newest first' : 'No order by date'}, ${isStable ? 'the same' : 'another order'} in a second reading`,
      how: items.length < 2 ? 'The table has fewer than two records.' : 'Read the first 20 records twice.',
    });

    const text = findField(table, ...TEXT_TYPES) ?? table.fields[0];
    // The client refuses a record without an ID. The answer itself is looked at.
    if (text) await contact.list(table, { page: 1, limit: 1, columns: text.slug }).catch(() => undefined);
    const first = [contact.lastBody.items].flat().map(asObject)[0];
    contact.note({
      id: 'columnsResponse',
      seen:
        first &&
        (first.id === undefined ? 'Only the fields that were asked for' : 'The ID comes with the fields'),
      how: first ? 'Read a record with one field.' : 'The table has no records.',
      readings: first && { columnsResponse: first.id === undefined ? 'exact' : 'withId' },
    });

    const composite = table.fields.find(({ type }) => ['Name', 'Address', 'Calendar'].includes(type));
    const shown = composite && items.find((item) => item[composite.slug])?.[composite.slug];
    const keys = shown instanceof Object ? Object.keys(shown).join(', ') : undefined;
    contact.note({
      id: 'composites',
      seen: shown ? (keys === undefined ? 'A text' : `One object: ${keys}`) : undefined,
      how: shown ? 'Read a record with such a field.' : 'The table has no such field, or no records.',
    });

    const choice = table.fields.find(({ options }) => options?.some(({ label, value }) => label !== value));
    const texts = choice
      ? items.flatMap((item) => [item[choice.slug]].flat()).filter((value) => value !== '' && value !== null)
      : [];
    const isLabel = (value: unknown) =>
      choice?.options.some(({ label, value: one }) => label === value && one !== value);
    const isValue = (value: unknown) =>
      choice?.options.some(({ label, value: one }) => one === value && label !== value);
    const labels = texts.filter(isLabel).length;
    const values = texts.filter(isValue).length;
    contact.note({
      id: 'choiceValues',
      seen: labels + values === 0 ? undefined : labels > values ? 'The label' : 'The value',
      how:
        labels + values === 0
          ? 'No record has a choice whose label differs from its value.'
          : 'Compared choices of records with the options of their field.',
    });
  },
};

const systemColumns: Check = {
  title: 'filters and order by created_at and id',
  async run({ contact, table }) {
    const items = await contact.list(table, { page: 1, limit: 20 });
    const [first] = items;
    if (!first || items.length < 2) {
      contact.note({ id: 'systemColumns', how: 'The table has fewer than two records.' });
      return;
    }
    /** Undefined if all records have the same value, so that both directions may look alike. */
    const isSorted = async (by: string): Promise<boolean | undefined> => {
      const lists = await Promise.all(
        ['asc', 'desc'].map((order) =>
          contact.list(table, { page: 1, limit: 20, order: by, order_by: order }),
        ),
      ).catch(() => []);
      const [up, down] = lists.map((list) => list.map(({ id }) => String(id)).join());
      if (up !== down) return true;
      return new Set(lists.flat().map((item) => item[by])).size === 1 ? undefined : false;
    };
    const isFiltered = async (field: string, operator: string, val: string) => {
      const found = await contact.filter(table, field, operator, val).catch(() => undefined);
      return found !== undefined && found.length === 0;
    };
    const created = [
      await isFiltered('created_at', 'is before', '1990-01-01 00:00:00'),
      await isSorted('created_at'),
    ];
    const id = [await isFiltered('id', 'is exact', 'no-such-id'), await isSorted('id')];
    const describeSort = (sorts?: boolean) =>
      sorts === undefined
        ? 'all records have the same, so the order shows nothing'
        : `${sorts ? 'can' : 'cannot'} be sorted`;
    const describe = (name: string, [filters, sorts]: Array<boolean | undefined>) =>
      `${name}: ${filters ? 'can be filtered' : 'a filter is dropped or refused'}, ${describeSort(sorts)}`;
    const isListed = table.fields.some(({ slug }) => slug === 'created_at');
    contact.note({
      id: 'systemColumns',
      seen: `${describe('created_at', created)}${isListed ? ' and is listed as a field' : ''}; ${describe('id', id)}`,
      how: 'Filtered so that no record matches, and sorted in both directions.',
      readings:
        (created[1] ?? created[0]) === created[0]
          ? { systemColumns: !created[0] ? 'dropped' : isListed ? 'listed' : 'known' }
          : undefined,
    });
  },
};

/** The readings of an `item` without a record. */
const EMPTY_ITEMS = [
  ['emptyList', '[]'],
  ['emptyObject', '{}'],
  ['zero', '0'],
  ['null', 'null'],
] as const;

function findEmptyItem(item: unknown) {
  const found = EMPTY_ITEMS.find(([, text]) => JSON.stringify(item) === text);
  return found && { missingRecord: found[0] };
}

const missingAndUnknown: Check = {
  title: 'a missing record and an unknown field',
  async run({ contact, table }) {
    const [first] = await contact.list(table, { page: 1, limit: 1 });
    const id = String(first?.id ?? table.id);
    // The same characters in another order: an ID that no record has.
    const missing =
      [...id].reverse().join('') === id ? `${id.slice(1)}${id[0]}x` : [...id].reverse().join('');
    const status = await contact.readMissing(table, missing);
    const { item } = contact.lastBody;
    contact.note({
      id: 'missingRecord',
      seen: `Status ${contact.last?.status ?? status ?? 'unknown'}${contact.last?.status === 200 ? ` with the item ${JSON.stringify(item)}` : ''}`,
      how: 'Read an ID that no record has.',
      readings:
        contact.last?.status === 200
          ? findEmptyItem(item)
          : status === 404 || status === 400 || status === 422
            ? { missingRecord: status }
            : undefined,
    });
  },
};

const limits: Check = {
  title: 'the headers of the limit',
  async run({ contact }) {
    const headers = contact.responses.map(({ headers: all }) => all);
    const names = Object.keys(headers.at(-1) ?? {}).filter((name) =>
      /rate|limit|remaining|reset|retry/i.test(name),
    );
    const remaining = names.find((name) => /remaining/i.test(name) && !/daily/i.test(name));
    const counts = headers.map((all) => Number(all[remaining ?? ''])).filter(Number.isFinite);
    const steps = counts.slice(1).map((count, n) => counts[n]! - count);
    const isByOne = steps.filter((step) => step === 1).length >= steps.length / 2;
    contact.note({
      id: 'limitHeaders',
      seen:
        names.length === 0
          ? 'No header names a limit'
          : `${names.sort().join(', ')}${remaining && steps.length > 0 ? `; the remaining number falls ${isByOne ? 'by one with each request' : 'otherwise than by one with each request'}` : ''}`,
      how: `Compared the headers of ${headers.length} responses.`,
    });
  },
};

/** An offset in hours as a zone that every system knows. */
const toZone = (hours: number): string =>
  hours === 0 ? 'UTC' : `Etc/GMT${hours > 0 ? '-' : '+'}${Math.abs(hours)}`;

/** Where an answer to a create or an update shows the record. */
const ANSWER_FORMS = {
  item: 'it holds the record',
  recordId: 'it holds the ID of the record',
  id: 'it holds the ID of the record',
  none: 'it does not show the record',
};

function findAnswerForm(body: Values): keyof typeof ANSWER_FORMS {
  if (asObject(body.item).id !== undefined) return 'item';
  if (body.recordId !== undefined) return 'recordId';
  return body.id === undefined ? 'none' : 'id';
}

const describeKeys = (body: Values): string =>
  Object.keys(body).length > 0 ? `The keys ${Object.keys(body).sort().join(', ')}` : 'An empty body';

/** The keys of a record that are no fields. */
const describeOthers = (record: Values, { fields }: TableInfo): string =>
  Object.keys(record)
    .filter((key) => !fields.some(({ slug }) => key.startsWith(slug)))
    .join(', ') || 'no other keys';

function findSystemKeys(row: Values, single: Values): 'documented' | 'met' | 'idOnly' {
  if (row.auto_increment !== undefined) return 'met';
  return row.created_at === undefined && single.created_at === undefined ? 'idOnly' : 'documented';
}

const writes: Check = {
  title: 'creates, updates and deletions',
  writes: true,
  async run({ contact, scratch }) {
    const table = scratch!;
    const texts = table.fields.filter(({ type }) => TEXT_TYPES.includes(type));
    const [markField, second] = texts;
    if (!markField) throw new Error(`The table "${table.name}" needs at least one Text field`);
    const mark = createMark('Änd');
    const sentAt = Date.now();
    const values = second ? { [second.slug]: 'kept?' } : {};
    const created = await contact.create(table, markField.slug, mark, values);
    const createAnswer = findAnswerForm(contact.createdBody);
    contact.note({
      id: 'createResponse',
      seen: `${describeKeys(contact.createdBody)}: ${ANSWER_FORMS[createAnswer]}`,
      how: 'Created a record.',
      readings: { createAnswer },
    });
    const row = (await contact.filter(table, markField.slug, 'is exact', mark))[0] ?? {};

    const createdAt = Date.parse(`${String(created.created_at ?? row.created_at).replace(' ', 'T')}Z`);
    const offset = (createdAt - sentAt) / 3_600_000;
    const hours = Math.round(offset * 4) / 4;
    if (Number.isFinite(hours) && Math.abs(offset - hours) < 0.1) {
      const isWhole = Number.isInteger(hours);
      const zone = toZone(hours);
      contact.note({
        id: 'timeZone',
        seen: `created_at is ${hours === 0 ? 'in UTC' : `${Math.abs(hours)} hours ${hours > 0 ? 'ahead of' : 'behind'} UTC`}`,
        how: 'Compared created_at of a new record with the time of the request.',
        readings: isWhole ? { timeZone: zone } : undefined,
      });
      if (isWhole) contact.settings.serviceTimeZone = zone;
    } else {
      contact.note({ id: 'timeZone', how: 'created_at of a new record does not fit any time zone.' });
    }

    const number = table.fields.find(({ type }) => type === 'Number' || type === 'Currency');
    const id = String(created.id);
    const stored = await contact.read(table, id);
    const empty = number && stored[number.slug];
    contact.note({
      id: 'emptyNumber',
      seen: number && `An omitted number is ${JSON.stringify(empty ?? null)}`,
      how: number ? 'Created a record without the number.' : 'The table has no Number field.',
      readings:
        empty === ''
          ? { blankNumber: empty }
          : number && (empty === 0 || empty === null)
            ? { omittedNumber: empty }
            : undefined,
    });
    contact.note({
      id: 'displayValues',
      seen: `One record has ${describeOthers(stored, table)}; its row in a list has ${describeOthers(row, table)}`,
      how: 'Compared the keys that are no fields.',
      readings: { systemKeys: findSystemKeys(row, stored) },
    });

    if (second) {
      await contact.update(table, id, { [markField.slug]: `${mark} 2` });
      const form = findAnswerForm(contact.lastBody);
      contact.note({
        id: 'updateResponse',
        seen: `${describeKeys(contact.lastBody)}: ${ANSWER_FORMS[form]}`,
        how: 'Updated one field of a record.',
        readings: form === 'id' ? undefined : { updateAnswer: form === 'none' ? 'bare' : form },
      });
      const after = await contact.read(table, id);
      const isUpdated = after[markField.slug] === `${mark} 2`;
      const isKept = after[second.slug] === 'kept?';
      contact.note({
        id: 'omittedColumns',
        seen: !isUpdated
          ? undefined
          : isKept
            ? 'Fields that are not sent keep their values'
            : 'Fields that are not sent are emptied: not supported, do not use the nodes for updates',
        how: isUpdated
          ? 'Updated one of two filled fields, and read the record.'
          : 'The update had no effect.',
        readings: isUpdated ? { omittedOnUpdate: isKept ? 'keep' : 'blank' } : undefined,
      });
    } else {
      contact.note({ id: 'omittedColumns', how: 'The table needs two Text fields.' });
      contact.note({ id: 'updateResponse', how: 'The table needs two Text fields.' });
    }
    await contact.delete(table, id);
  },
};

const texts: Check = {
  title: 'upper and lower case in filters',
  writes: true,
  async run({ contact, scratch }) {
    const table = scratch!;
    const field = findField(table, ...TEXT_TYPES);
    if (!field) throw new Error(`The table "${table.name}" needs at least one Text field`);
    const mark = createMark('Case');
    const { id } = await contact.create(table, field.slug, mark);
    const other = swapCase(mark);
    const found = await contact.search(table, field.slug, '=', other);
    const equal = found.some((record) => record.id === id);
    contact.note({
      id: 'symbolicEquality',
      seen: equal ? 'The symbolic = ignores case' : 'The symbolic = minds case',
      how: 'Searched a text in the other case.',
      readings: { symbolicEquality: equal ? 'is' : 'exact' },
    });
    await contact.delete(table, String(id));
  },
};

const connections: Check = {
  title: 'a connection to a record that does not exist',
  writes: true,
  async run({ contact, scratch }) {
    const table = scratch!;
    const connection = findConnection(table);
    const text = findField(table, ...TEXT_TYPES);
    if (!connection || !text) {
      contact.note({ id: 'unknownConnection', how: 'The table has no Connection field.' });
      return;
    }
    const missing = [...table.id].reverse().join('');
    const result = await contact
      .create(table, text.slug, createMark('Link'), { [connection.slug]: [missing] })
      .catch((error: unknown) => {
        if (error instanceof ApiError && error.status === 422) return error;
        throw error;
      });
    if (!(result instanceof ApiError)) await contact.delete(table, String(result.id));
    contact.note({
      id: 'unknownConnection',
      seen: result instanceof ApiError ? 'Refused with status 422' : 'Accepted',
      how: 'Created a record with an ID that no record has.',
      readings: { unknownConnection: result instanceof ApiError ? 'refused' : 'dropped' },
    });
  },
};

const deliveries: Check = {
  title: 'deliveries of changes',
  writes: true,
  async run({ contact, scratch, hook }) {
    const table = scratch!;
    const field = findField(table, ...TEXT_TYPES);
    if (!hook || !field) {
      const how = 'Left out: no address was given that the service can reach (--hook-url).';
      for (const id of ['apiDeliveries', 'deliveryFields', 'deliveryRetries'] as const)
        contact.note({ id, how });
      return;
    }
    const query = 'check=1';
    await contact.subscribe(table, 'INSERT', `${hook.url}?${query}`);
    const mark = createMark('Hook');
    const { id } = await contact.create(table, field.slug, mark);
    const bodies = await hook.takeBodies();
    const [delivery] = bodies;
    contact.note({
      id: 'apiDeliveries',
      seen: delivery ? 'Changes through the API cause deliveries' : 'No delivery arrived',
      how: 'Subscribed to new records, created one, and waited for 30 seconds.',
    });
    const isDocumented = asObject(delivery).event_type !== undefined;
    const record = isDocumented ? asObject(asObject(delivery).record) : asObject(delivery);
    const missing = table.fields.filter(({ slug }) => !(slug in record)).length;
    contact.note({
      id: 'deliveryFields',
      seen:
        delivery &&
        `${isDocumented ? 'The documented body' : 'The record alone'}, ${
          missing === 0
            ? 'with all fields of the record'
            : `not with all fields of the record: ${missing} of ${table.fields.length} were missing`
        }`,
      how: delivery ? 'Compared the delivery with the fields of the table.' : 'No delivery arrived.',
      readings: delivery && {
        deliveryFields: missing === 0 ? 'all' : isDocumented ? 'touched' : 'saved',
        deliveryForm: isDocumented ? 'documented' : hook.isForm?.() ? 'flatForm' : 'flatJson',
      },
    });
    contact.note({ id: 'deliveryRetries', how: 'Not tried: it would take minutes.' });
    await contact.delete(table, String(id));
  },
};

const types: Check = {
  title: 'types of fields',
  async run({ contact, table: first, scratch }) {
    const table = scratch && findConnection(scratch) ? scratch : first;
    const path = { dataTableId: table.id };
    const { body } = await contact.client.call(tableEndpoints.listFields, { path });
    const basic = new Map((body.items as unknown as FieldInfo[]).map(({ slug, type }) => [slug, type]));
    const connection = findConnection(table);
    const names = connection && [basic.get(connection.slug), connection.type];
    const called =
      names && `; a connection is called ${names[0]} in /fields and ${names[1]} in /full-fields-info`;
    contact.note({
      id: 'otherTypes',
      seen: `${[...new Set(basic.values())].sort().join(', ')}${called ?? ''}`,
      how: 'Listed the fields of one table in both ways.',
      readings:
        names && names[0] === 'Join'
          ? { connectionType: names[1] === 'Join' ? 'Join' : 'mixed' }
          : names && { connectionType: 'Connection' },
    });
  },
};

const calendarTimes: Check = {
  title: 'times of a Calendar',
  writes: true,
  async run({ contact, scratch }) {
    const table = scratch!;
    const text = findField(table, ...TEXT_TYPES);
    const range = findField(table, 'Calendar', 'Date Range');
    if (!range || !text) {
      contact.note({ id: 'calendarTimes', how: 'The table has no Calendar field.' });
      return;
    }
    const { id } = await contact.create(table, text.slug, createMark('Times'));
    const ends = { start: '2031-03-02 09:15:00', end: '2031-03-02 17:30:00' };
    const form = new FormBody(
      Object.entries(ends).map(([end, moment]) => [`${range.slug}[${end}]`, moment] as const),
    );
    await contact.update(table, String(id), form);
    const isStored = JSON.stringify(await contact.read(table, String(id))).includes('09:15');
    contact.note({
      id: 'calendarTimes',
      seen: isStored ? 'Times are stored' : 'Times in a form are not stored',
      how: 'Updated a record by a form with times, and read it.',
    });
    await contact.delete(table, String(id));
  },
};

const jsonParts: Check = {
  title: 'parts of a value in JSON',
  writes: true,
  async run({ contact, scratch }) {
    const table = scratch!;
    const text = findField(table, ...TEXT_TYPES);
    const composite = findField(table, 'Name') ?? findField(table, 'Address');
    if (!composite || !text) {
      contact.note({ id: 'jsonParts', how: 'The table has no Name or Address field.' });
      return;
    }
    const part = composite.type === 'Name' ? 'first_name' : 'city';
    const isStored = async (notation: string, values: Values) => {
      const { id } = await contact.create(table, text.slug, createMark(notation), values);
      const stored = JSON.stringify(await contact.read(table, String(id))).includes('Parted');
      await contact.delete(table, String(id));
      return stored;
    };
    const brackets = await isStored('Brackets', { [`${composite.slug}[${part}]`]: 'Parted' });
    const nested = await isStored('Nested', { [composite.slug]: { [part]: 'Parted' } });
    const stored = [brackets && 'keys with brackets', nested && 'nested objects'].filter(Boolean);
    contact.note({
      id: 'jsonParts',
      seen:
        stored.length > 0 ? `JSON with ${stored.join(' and with ')} is stored` : 'No part in JSON is stored',
      how: 'Created a record in each notation, and read it.',
      readings: { jsonParts: brackets ? 'brackets' : nested ? 'nested' : 'formOnly' },
    });
  },
};

const listingPost: Check = {
  title: 'a POST with a filter',
  writes: true,
  async run({ contact, scratch }) {
    const table = scratch!;
    const text = findField(table, ...TEXT_TYPES);
    if (!text) throw new Error(`The table "${table.name}" needs at least one Text field`);
    const mark = createMark('Post');
    const { id } = await contact.create(table, text.slug, mark);
    const done = await contact.postFilter(table, text.slug, mark);
    const seen = { lists: 'It lists', creates: 'It makes a record' };
    contact.note({
      id: 'listingPost',
      seen: done && seen[done],
      how: done
        ? 'Sent a filter that one record meets, and counted the records.'
        : 'The answer shows neither a list nor a record.',
      readings: done && { listingPost: done },
    });
    const found = await contact.filter(table, text.slug, 'contains_any', 'no-such-text,neither-this');
    contact.note({
      id: 'moreOperators',
      seen: found.length === 0 ? 'contains_any is known' : 'A filter with contains_any is dropped',
      how: 'Filtered a text by two values that no record has.',
      readings: { containsAny: found.length === 0 ? 'known' : 'unknown' },
    });
    await contact.delete(table, String(id));
  },
};

/** In this order: later checks use what earlier ones found. */
export const CHECKS: readonly Check[] = [
  readStatus,
  writes,
  types,
  calendarTimes,
  jsonParts,
  listingPost,
  deliveries,
  recordList,
  systemColumns,
  missingAndUnknown,
  subscriptions,
  lists,
  exportWords,
  logOrder,
  texts,
  connections,
  limits,
];
