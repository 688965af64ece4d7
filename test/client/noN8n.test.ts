test('the tests of the client cannot load n8n', () => {
  expect(() => jest.requireActual('n8n-workflow')).toThrow('The client loads a module of n8n');
  expect(() => jest.requireActual('../../nodes/n8n/http/port')).toThrow('The client loads a module of n8n');
});
