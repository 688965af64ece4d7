import { defineV1 } from './endpoint';

/**
 * A repeated calculation gives the same values, but for a whole application it may take longer than the
 * timeout.
 */
const details = { effect: 'longRunning' } as const;

/** Spec: Formulas. The spec does not define the responses. */
export const formulaEndpoints = {
  updateAll: defineV1('POST /update-all-formula', details),
  updateTable: defineV1('POST /update-all-formula/{dataTableId}', details),
  updateBySlug: defineV1('POST /update-field-formula-by-slug/{fieldSlug}', details),
  forceBySlug: defineV1('POST /update-field-formula-by-slug/{fieldSlug}/force', details),
  updateById: defineV1('POST /update-field-formula-by-id/{fieldId}', details),
  forceById: defineV1('POST /update-field-formula-by-id/{fieldId}/force', details),
};
