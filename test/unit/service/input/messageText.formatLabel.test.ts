import { formatLabel } from '../../../../nodes/service/input/messageText';

test.each([
  ['dataTableId', 'Table ID'],
  ['recordId', 'Record ID'],
  ['recordIds', 'Record IDs'],
  ['hookUrl', 'Hook URL'],
  ['pdfFormId', 'PDF Form ID'],
  ['idea', 'Idea'],
  ['dataTables', 'Data Tables'],
])('the parameter %s is called "%s"', (name, label) => expect(formatLabel(name)).toBe(label));
