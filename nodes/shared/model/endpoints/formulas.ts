import { defineV1 } from './endpoint';

/**
 * A repeated calculation gives the same values, but for a whole application it may take longer than the
 * timeout.
 */
const FORMULA_DETAILS = { effect: 'longRunning' } as const;

/** Spec: Formulas. The spec does not define the responses. */
export const formulaEndpoints = {
  updateAll: defineV1('POST /update-all-formula', FORMULA_DETAILS),
  updateTable: defineV1('POST /update-all-formula/{dataTableId}', FORMULA_DETAILS),
  updateBySlug: defineV1('POST /update-field-formula-by-slug/{fieldSlug}', FORMULA_DETAILS),
  forceBySlug: defineV1('POST /update-field-formula-by-slug/{fieldSlug}/force', FORMULA_DETAILS),
  updateById: defineV1('POST /update-field-formula-by-id/{fieldId}', FORMULA_DETAILS),
  forceById: defineV1('POST /update-field-formula-by-id/{fieldId}/force', FORMULA_DETAILS),
};
