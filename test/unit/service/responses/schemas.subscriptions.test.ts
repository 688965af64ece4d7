import { parseSubscriptions } from '../../../../nodes/service';
import { newSubscriptionSchema, subscriptionListSchema } from '../../../../nodes/service/responses/schemas';

const hook = { id: 's1', data_table_id: 't1', type: 'INSERT', hookUrl: 'https://h', platform: 'n8n' };

test('subscriptions are found under any key', () => {
  const expected = [hook];
  const parse = (body: unknown) => parseSubscriptions(subscriptionListSchema.parse(body).items);
  expect(parse({ type: 'success', items: [hook] })).toEqual(expected);
  expect(parse({ type: 'success', web_hooks: [hook] })).toEqual(expected);
  expect(parse([{ ...hook, type: 'insert' }])).toEqual(expected);
  expect(() => parse({ hooks: [hook], other: [] })).toThrow('Expected a list');
});

test('the platform may be missing, and other keys are kept', () => {
  const { platform, ...bare } = hook;
  expect(parseSubscriptions([{ ...bare, more: platform }])).toEqual([{ ...hook, platform: '', more: 'n8n' }]);
});

test.each(['id', 'data_table_id', 'type', 'hookUrl'])('an entry without %s is left out', (key) => {
  expect(parseSubscriptions([{ ...hook, [key]: undefined }, { ...hook, [key]: null }, hook])).toEqual([hook]);
});

test('the list is under items, if there is another one beside it', () => {
  expect(subscriptionListSchema.parse({ items: [hook], other: [1] }).items).toEqual([hook]);
  expect(() => subscriptionListSchema.parse({ msg: 'none' })).toThrow('Expected a list under \\"items\\"');
});

test.each([
  [
    { type: 'success', id: 's1', msg: 'Subscribed' },
    { type: 'success', id: 's1', msg: 'Subscribed' },
  ],
  [{ id: 7 }, { id: '7' }],
  // Subscribed all the same: the list shows the ID.
  [{ type: 'success' }, { type: 'success' }],
  [{ id: null }, { id: undefined }],
  [{ id: {} }, { id: undefined }],
])('the answer %j to a subscription is read as %j', (body, expected) => {
  expect(newSubscriptionSchema.parse(body)).toEqual(expected);
});
