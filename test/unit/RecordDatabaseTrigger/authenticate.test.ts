import { findTableEvent, hashToken } from '../../../nodes/RecordDatabaseTrigger/authenticate';
import { RECORD_EVENTS } from '../../../nodes/RecordDatabaseTrigger/staticData';
import { webhookIdentity } from './identity';

const NO_DATA = { tables: [], tokens: [] };
const TABLES = ['t1', 't2', 't3'];

describe('the table and the event of a request', () => {
  test.each(TABLES.flatMap((tableId) => RECORD_EVENTS.map((event) => ({ tableId, event }))))(
    'follow from the token: $event of $tableId',
    (source) => {
      const token = webhookIdentity.computeToken(source.tableId, source.event);
      expect(findTableEvent(token, TABLES, NO_DATA, webhookIdentity)).toEqual(source);
      // An earlier version of the form may have had other tables.
      expect(findTableEvent(token, [], { ...NO_DATA, tables: TABLES }, webhookIdentity)).toEqual(source);
    },
  );

  test('follow from a token of an earlier App Secret with which the trigger has subscribed', () => {
    const source = { tableId: 't2', event: 'DELETE' } as const;
    const data = { tables: TABLES, tokens: [hashToken('old', source)] };
    expect(findTableEvent('old', TABLES, data, webhookIdentity)).toEqual(source);
    expect(findTableEvent('other', TABLES, data, webhookIdentity)).toBeUndefined();
    expect(findTableEvent('old', ['t1'], { ...data, tables: [] }, webhookIdentity)).toBeUndefined();
  });

  test.each(['', 'old', webhookIdentity.computeToken('t4', 'INSERT')])('do not follow from %j', (token) => {
    expect(findTableEvent(token, TABLES, NO_DATA, webhookIdentity)).toBeUndefined();
  });
});
