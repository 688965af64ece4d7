import type { Table } from '../../service';
import { useTestEnvironment } from '../support/useTestEnvironment';
import { TestClock, addTasksTable, createRecordWorkflow, pollOnce } from './support';

/** A field of the filter that is renamed while the trigger still has the fields in its memory. */

const clock = new TestClock();
const env = useTestEnvironment({ sample: 'empty', clock });
let table: Table;
let count = 0;

const insert = (title: string) => table.insert({ title, stage: 'done', changed_at: clock.format() });

beforeEach(() => {
  clock.advance(3600);
  table = addTasksTable(env, `Tasks ${++count}`);
  insert('Old');
});

describe.each(['recordCreatedOrUpdated', 'recordCreatedUpdatedOrDeleted'])('%s', (triggerOn) => {
  test.each(['is', 'is not', 'is blank'])(
    'a filter with "%s" is an error at the next poll, and starts nothing',
    async (operator) => {
      const trigger = await env.engine.activate(
        createRecordWorkflow(table, {
          triggerOn,
          ...(triggerOn === 'recordCreatedOrUpdated' && { dateField: 'changed_at' }),
          filterMode: 'manual',
          conditions: { items: [{ field: 'stage|text', operator, value: 'done' }] },
        }),
      );
      await pollOnce(trigger);
      Object.assign(
        table.fields.find(({ slug }) => slug === 'stage')!,
        { slug: 'phase', name: 'Phase' },
      );
      clock.advance(60);
      insert('New');
      const result = await pollOnce(trigger).catch((error: Error) => error.message);
      await trigger.kill();
      // The poll may name the field that is gone.
      env.takeViolations();
      expect(result).toMatch('the table has no field "stage"');
    },
  );
});
