import { startCase } from 'lodash';

/** Formats a parameter name as in the forms and the service: `dataTableId` becomes "Table ID". */
export const formatLabel = (name: string): string =>
  startCase(name)
    .replace(/^Data Table\b/, 'Table')
    .replace(/\b(Id|Url|Pdf)(s?)\b/g, (_, word: string, plural: string) => word.toUpperCase() + plural);
