import {
  hashOf,
  isRefusal,
  readPost,
  type RecordChange,
} from '../../../nodes/RecordDatabaseTrigger/delivery';

describe('reading a POST', () => {
  const event = {
    event_type: 'UPDATE',
    table_id: 't1',
    table_name: 'T',
    record: { id: 5, a: 1 },
    timestamp: '2025-01-01T00:00:00Z',
  };
  const raw = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

  test('an event in full', () => {
    expect(readPost({ body: event, announcedBytes: 0 }, 100)).toEqual({
      event: 'UPDATE',
      tableId: 't1',
      tableName: 'T',
      recordId: '5',
      record: event.record,
      timestamp: event.timestamp,
    });
  });

  test('what n8n did not parse is read from the bytes', () => {
    expect(readPost({ body: {}, raw: raw(event), announcedBytes: 0 }, 1000)).toMatchObject({ recordId: '5' });
  });

  test('what n8n parsed counts, not the bytes of a form that it came in', () => {
    const form = new TextEncoder().encode('event_type=UPDATE');
    expect(readPost({ body: event, raw: form, announcedBytes: 0 }, 1000)).toMatchObject({ recordId: '5' });
  });

  test.each([
    [99, 100, 400],
    [100, 0, 400],
    [101, 0, 413],
    [0, 101, 413],
  ])('%i bytes, %i announced: %i', (bytes, announcedBytes, status) => {
    const refusal = readPost({ body: null, raw: new Uint8Array(bytes), announcedBytes }, 100);
    const reason = status === 413 ? 'the body is too large' : 'the body is no JSON object';
    expect(refusal).toEqual({ status, reason });
    expect(isRefusal(refusal)).toBe(true);
  });

  test.each([
    ['the body is no JSON object', [event]],
    ['the body is no JSON object', null],
    ['the body is no JSON object', 'INSERT'],
    ['"event_type" is none of INSERT, UPDATE, DELETE', { ...event, event_type: 'update' }],
    ['"event_type" is none of INSERT, UPDATE, DELETE', {}],
    ['"table_id" is missing', { ...event, table_id: '' }],
    ['"table_id" is missing', { ...event, table_id: { $ne: null } }],
    ['"record" is missing', { ...event, record: [] }],
    ['"record" is missing', { ...event, record: null }],
    ['"record" has no id', { ...event, record: {} }],
    ['"record" has no id', { ...event, record: { id: [5] } }],
  ])('%s: %j', (reason, body) => {
    expect(readPost({ body, announcedBytes: 0 }, 1000)).toEqual({ status: 400, reason });
  });

  test('table name and timestamp may be missing', () => {
    const { table_name: _n, timestamp: _t, ...bare } = event;
    const change = readPost({ body: bare, announcedBytes: 0 }, 100) as RecordChange;
    expect([change.tableName, change.timestamp, hashOf(change, raw(bare))]).toEqual(['', '', undefined]);
  });

  test('every part of the event is part of its hash', () => {
    const change = readPost({ body: event, announcedBytes: 0 }, 100) as RecordChange;
    const variants: RecordChange[] = [
      change,
      { ...change, event: 'INSERT' },
      { ...change, tableId: 't2' },
      { ...change, recordId: '6' },
      { ...change, timestamp: '2' },
      { ...change, record: { id: 5, a: 2 } },
    ];
    expect(new Set(variants.map((one) => hashOf(one))).size).toBe(6);
    // Short, for thousands of them lie in the static data.
    expect(hashOf(change)).toHaveLength(16);
    expect(hashOf(change, raw(1))).not.toBe(hashOf(change, raw(2)));
    expect(hashOf(change, raw(1))).toBe(hashOf({ ...change }, raw(1)));
  });
});
