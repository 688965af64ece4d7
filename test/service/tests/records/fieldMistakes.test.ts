import type { Service } from '../..';
import { listViolations, openService } from '../client';

let service: Service;
let api: Awaited<ReturnType<typeof openService>>['api'];
let at: (name: string) => string;
beforeAll(async () => ({ service, api, at } = await openService()));
afterAll(() => service.stop());
beforeEach(() => void (service.violations.length = 0));

const getUrl = () => `${at('Showcase')}/records`;
type Values = Record<string, unknown>;

/** The right JSON type with a wrong value is the user's mistake: 422 without a violation. */
test.each<[Values, string]>([
  [{ email: 'no at' }, 'Email must be valid'],
  [{ phone: 'call me' }, 'Phone must be valid'],
  [{ date: '01/02/2025' }, 'Invalid date format'],
  [{ date: '2025-02-30' }, 'Invalid date format'],
  [{ date_time: '2025-01-02' }, 'Invalid date format'],
  [{ time: '24:00:00' }, 'Invalid time format'],
  [{ select: 'Letter A' }, 'Invalid option'],
  [{ multi_select: ['a', 'z'] }, 'Invalid option'],
  [{ connection_one: '12' }, 'Record Not Found'],
])('%j is refused: %s', async (payload, message) => {
  const { status, data } = await api.post(getUrl(), payload);
  const slug = Object.keys(payload)[0] as string;
  expect([status, data]).toEqual([
    422,
    { type: 'error', msg: 'Validation failed', status: 422, errors: { [slug]: [message] } },
  ]);
  expect(listViolations(service)).toEqual([]);
});

/** A wrong JSON type: 422 and a violation of the client. */
test.each<[Values]>([
  [{ text: 1 }],
  [{ text: null }],
  [{ number: '1' }],
  [{ currency: '9.99' }],
  [{ decision_box: '1' }],
  [{ decision_box: true }],
  [{ decision_box: 2 }],
  [{ date: 20250101 }],
  [{ multi_select: 'a' }],
  [{ checkbox: 'a,b' }],
  [{ connection_one: ['x'] }],
  [{ connection_many: 5 }],
  [{ file: 'x.txt' }],
])('%j is refused and noted', async (payload) => {
  expect((await api.post(getUrl(), payload)).status).toBe(422);
  expect(listViolations(service)).toEqual([expect.stringContaining(`"${Object.keys(payload)[0]}"`)]);
});

/** Nested objects are not a payload format; the keys are ignored as unknown. */
test.each([{ name: { first_name: 'A' } }, { calendar: '2025-01-01' }, { 'multi_select[]': ['a'] }])(
  '%j names no field',
  async (payload) => {
    expect((await api.post(getUrl(), payload)).status).toBe(200);
    expect(listViolations(service)).toEqual([expect.stringContaining('names no writable field')]);
  },
);
