import { parseEnum } from '../../../../nodes/service';

const EVENTS = ['INSERT', 'UPDATE', 'DELETE'] as const;

test.each(EVENTS)('%s is valid', (event) => expect(parseEnum(EVENTS, event, 'Event')).toBe(event));

test.each([
  ['insert', '"insert"'],
  ['', '""'],
  [undefined, 'undefined'],
  [['INSERT'], '["INSERT"]'],
])('%j is an error that lists the valid values', (value, shown) => {
  expect(() => parseEnum(EVENTS, value, 'Event')).toThrow(
    expect.objectContaining({
      name: 'InputError',
      message: `Event cannot be ${shown}`,
      description: 'Give one of: INSERT, UPDATE, DELETE. An expression may have returned nothing.',
    }),
  );
});
