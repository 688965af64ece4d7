import { type Item, attachItemEffects } from '../../../../nodes/n8n/operation/item';
import { ApiError, InputError } from '../../../../nodes/service';

const createItem = (...effects: string[]) => ({ effects, changes: [] }) as unknown as Item;
const changed = createItem('Created "Ada" (r1).', 'Created "Bob" (r2).');

test('the error of an item that changed nothing else stays as it is', () => {
  const error = new InputError('No value', 'Give one.');
  expect(attachItemEffects(error, createItem())).toBe(error);
});

test('an input error keeps its message and names the changes before its remedy', () => {
  expect(attachItemEffects(new InputError('No value', 'Give one.'), changed)).toMatchObject({
    message: 'No value',
    description: 'Created "Ada" (r1). Created "Bob" (r2). Give one.',
  });
});

test('an item that has started something has no time at which to repeat it', () => {
  const retryAt = '2025-01-01T00:00:00.000Z';
  const error = new ApiError({ message: 'Limit', description: 'Wait.', retryAt });
  const addTo = (hasStarted: boolean) =>
    (attachItemEffects(error, { effects: [], changes: [], hasStarted } as never) as ApiError).retryAt;
  expect([addTo(false), addTo(true)]).toEqual([retryAt, undefined]);
});

test('an error of the service names the changes before its description', () => {
  const error = new ApiError({ message: 'Not found', description: 'Check the ID.', status: 404 });
  const { message, description, status } = attachItemEffects(error, changed) as ApiError;
  expect(message).toBe('Not found');
  expect(description).toBe('Created "Ada" (r1). Created "Bob" (r2). Check the ID.');
  expect(status).toBe(404);
});
