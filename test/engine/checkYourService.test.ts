import { loadExample } from '../examples';
import { TestEnvironment } from './support/testEnvironment';

const NAME = 'First Contact';

test.each([
  [
    'keep',
    'UTC',
    'plain',
    {
      'Fields Not Sent': 'kept',
      'Service Time Zone': 'UTC',
      IDs: 'letters and digits',
    },
  ],
  [
    'blank',
    'Etc/GMT-5',
    'met',
    {
      'Fields Not Sent': 'emptied: not supported',
      'Service Time Zone': 'UTC +5 hours',
      IDs: 'letters and digits',
    },
  ],
] as const)(
  'the example tells a service that would %s columns, in %s, with %s IDs',
  async (omittedOnUpdate, timeZone, ids, expected) => {
    const env = await TestEnvironment.start({ omittedOnUpdate, timeZone, ids });
    try {
      const table = env.service.addTable({
        name: NAME,
        fields: [
          { name: 'Title', type: 'Text' },
          { name: 'Note', type: 'Text' },
        ],
      });
      const done = await env.engine.run(loadExample('check-your-service', env.service));
      expect(done.error?.message).toBeUndefined();
      expect(done.getJson('What It Means')).toEqual([expected]);
      expect(table.records.size).toBe(0);
    } finally {
      await env.stop();
    }
  },
);
