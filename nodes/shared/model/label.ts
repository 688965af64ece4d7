import { startCase } from 'lodash';

/** A parameter in words, as the forms and the service call it: `dataTableId` is "Table ID". */
export const labelOf = (name: string): string =>
  startCase(name)
    .replace(/^Data Table\b/, 'Table')
    .replace(/\b(Id|Url|Pdf)(s?)\b/g, (_, word: string, plural: string) => word.toUpperCase() + plural);
