import type { Item } from '../../../../../../nodes/shared/kit/operation/item';
import { addEffects } from '../../../../../../nodes/shared/kit/operation/loop/addEffects';
import { InputError } from '../../../../../../nodes/shared/model/input/inputError';
import { ApiError } from '../../../../../../nodes/shared/transport/errors/apiError';

const createItem = (...effects: string[]) => ({ effects }) as unknown as Item;
const changed = createItem('Created "Ada" (r1).', 'Created "Bob" (r2).');

test('the error of an item that changed nothing else stays as it is', () => {
  const error = new InputError('No value', 'Give one.');
  expect(addEffects(error, createItem())).toBe(error);
});

test('an input error keeps its message and names the changes before its remedy', () => {
  expect(addEffects(new InputError('No value', 'Give one.'), changed)).toMatchObject({
    message: 'No value',
    remedy: 'Created "Ada" (r1). Created "Bob" (r2). Give one.',
  });
});

test('an error of the service names the changes before its description', () => {
  const error = new ApiError({ message: 'Not found', description: 'Check the ID.', status: 404 });
  const { explanation, status } = addEffects(error, changed) as ApiError;
  expect(explanation.message).toBe('Not found');
  expect(explanation.description).toBe('Created "Ada" (r1). Created "Bob" (r2). Check the ID.');
  expect(status).toBe(404);
});
