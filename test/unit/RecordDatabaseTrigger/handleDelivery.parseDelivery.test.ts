/* eslint-disable @typescript-eslint/no-unused-vars -- not shipped: runs on Node */
import type { IWebhookFunctions } from 'n8n-workflow';
import { isRefusal, parseDelivery, readRequest } from '../../../nodes/RecordDatabaseTrigger/handleDelivery';
import {
  type Delivery,
  CONTENT_LENGTH,
  MOMENT_LENGTH,
  hashDelivery,
} from '../../../nodes/RecordDatabaseTrigger/staticData';

describe('reading a POST', () => {
  const event = {
    event_type: 'UPDATE',
    table_id: 't1',
    table_name: 'T',
    record: { id: 5, a: 1 },
    timestamp: '2025-01-01T00:00:00Z',
  };
  const toBytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

  test('an event in full', () => {
    expect(parseDelivery({ body: event, contentLength: 0 }, 100)).toEqual({
      event: 'UPDATE',
      tableId: 't1',
      tableName: 'T',
      recordId: '5',
      record: event.record,
      timestamp: event.timestamp,
    });
  });

  test('parses the bytes if n8n did not parse the body', () => {
    expect(parseDelivery({ body: {}, rawBody: toBytes(event), contentLength: 0 }, 1000)).toMatchObject({
      recordId: '5',
    });
  });

  test('prefers the body that n8n parsed to the bytes of a form', () => {
    const form = new TextEncoder().encode('event_type=UPDATE');
    expect(parseDelivery({ body: event, rawBody: form, contentLength: 0 }, 1000)).toMatchObject({
      recordId: '5',
    });
  });

  test.each([
    [99, 100, 400],
    [100, 0, 400],
    [101, 0, 413],
    [0, 101, 413],
  ])('%i bytes, %i announced: %i', (bytes, announcedBytes, status) => {
    const refusal = parseDelivery(
      { body: null, rawBody: new Uint8Array(bytes), contentLength: announcedBytes },
      100,
    );
    const reason = status === 413 ? 'the body is too large' : 'the body is not a JSON object';
    expect(refusal).toEqual({ status, reason });
    expect(isRefusal(refusal)).toBe(true);
  });

  test.each([
    ['the body is not a JSON object', [event]],
    ['the body is not a JSON object', null],
    ['the body is not a JSON object', 'INSERT'],
    ['"event_type" is not INSERT, UPDATE or DELETE', { ...event, event_type: 'update' }],
    ['"event_type" is not INSERT, UPDATE or DELETE', {}],
    ['"table_id" is missing', { ...event, table_id: '' }],
    ['"table_id" is missing', { ...event, table_id: { $ne: null } }],
    ['"record" is missing', { ...event, record: [] }],
    ['"record" is missing', { ...event, record: null }],
    ['"record" has no id', { ...event, record: {} }],
    ['"record" has no id', { ...event, record: { id: [5] } }],
  ])('%s: %j', (reason, body) => {
    expect(parseDelivery({ body, contentLength: 0 }, 1000)).toEqual({ status: 400, reason });
  });

  test('table name and timestamp may be missing', () => {
    const { table_name: _n, timestamp: _t, ...bare } = event;
    const delivery = parseDelivery({ body: bare, contentLength: 0 }, 100) as Delivery;
    expect([delivery.tableName, delivery.timestamp, hashDelivery(delivery)]).toEqual(['', '', undefined]);
  });

  test('the hash depends on every part of the event', () => {
    const delivery = parseDelivery({ body: event, contentLength: 0 }, 100) as Delivery;
    const variants: Delivery[] = [
      delivery,
      { ...delivery, event: 'INSERT' },
      { ...delivery, tableId: 't2' },
      { ...delivery, recordId: '6' },
      { ...delivery, timestamp: '2' },
      { ...delivery, record: { id: 5, a: 2 } },
    ];
    expect(new Set(variants.map((one) => hashDelivery(one))).size).toBe(6);
    // The hash is short, because the static data holds hundreds of them.
    expect(hashDelivery(delivery)).toHaveLength(MOMENT_LENGTH + CONTENT_LENGTH);
  });

  test('white space, key order and escapes do not change the hash', () => {
    const text = JSON.stringify({ ...event, record: { id: 5, b: { x: 1, y: [1] }, a: 'é' } });
    const other =
      '{ "record": {"a": "\\u00e9", "b": {"y":[1.0],  "x": 1}, "id": 5 },\n "timestamp": "2025-01-01T00:00:00Z", ' +
      '"table_name":"T", "table_id":"t1", "event_type":"UPDATE"}';
    const [first, second] = [text, other].map((body) =>
      hashDelivery(parseDelivery({ body: JSON.parse(body), contentLength: 0 }, 1000) as Delivery),
    );
    expect(second).toBe(first);
  });
});

test.each([
  ['17', 17],
  [undefined, 0],
  ['many', 0],
])('reads the body, its bytes and Content-Length %p', (length, contentLength) => {
  const rawBody = new Uint8Array([1, 2]);
  const context = {
    getRequestObject: () => ({ rawBody, headers: { 'content-length': length } }),
    getBodyData: () => ({ a: 1 }),
  } as unknown as IWebhookFunctions;
  expect(readRequest(context)).toEqual({ body: { a: 1 }, rawBody, contentLength });
});
