import { createSimplifyParameter } from '../operation/simplify';

/**
 * The switch of the operations that read records. Off by default, because the user defines the columns and a simplified
 * record cannot be written back.
 */
export const simplifyRecords = createSimplifyParameter(
  false,
  'Whether to return connections by the names of their records, and Name, Address, Calendar and File fields as one line of text, without empty values. Such a record cannot be written back.',
);
