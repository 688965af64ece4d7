import type { ParameterDefinition } from '../operation/parameter';

/**
 * Hides parameters until the picker `parent` has a value, because their lists are empty until then. Parameters that
 * are shown for a value of another parameter are left alone: n8n hides them together with that parameter.
 */
export const hideUntilPicked = <P extends ParameterDefinition>(parent: string, parameters: P[]): P[] =>
  parameters.map((parameter) =>
    parameter.displayOptions ? parameter : { ...parameter, displayOptions: { hide: { [parent]: [''] } } },
  );
