import type { INodeProperties } from 'n8n-workflow';

/** The rows of a collection. A row has the values of the inputs that were shown for it. They are not checked. */
type RowsValue<P> = P extends {
  options: ReadonlyArray<{ values: ReadonlyArray<{ name: infer N extends string }> }>;
}
  ? Array<Partial<Record<N, unknown>>>
  : unknown[];

/** A value of a fixed list. A list that is loaded from the service can have any text as a value. */
type ChoiceValue<P> = P extends { options: ReadonlyArray<{ value: infer V extends string }> } ? V : string;

/**
 * The type of a parameter's value, derived from its definition. JSON, mappers and dates have the type `unknown`,
 * because the code that reads them checks them.
 */
export type ParameterValue<P extends ParameterDefinition> = P extends { listsNames: true }
  ? string[]
  : P extends { type: 'boolean' }
    ? boolean
    : P extends { type: 'number' }
      ? number
      : P extends { type: 'string' | 'resourceLocator' }
        ? string
        : P extends { type: 'options' }
          ? ChoiceValue<P>
          : P extends { type: 'multiOptions' }
            ? string[]
            : P extends { type: 'fixedCollection' }
              ? RowsValue<P>
              : unknown;

/** A parameter of an operation: a field of the form and the rules for reading its value. */
export interface ParameterDefinition extends INodeProperties {
  /** Treats an expression that returns nothing as an empty field. By default it is an error. */
  allowsEmptyExpression?: boolean;
  /** A text field for names, separated by commas. An expression may return an array. */
  listsNames?: boolean;
  /**
   * Whether the form shows the parameter only when the node is the tool of an AI agent, or never then. A tool has one
   * JSON input where the form has rows: a model cannot fill in rows.
   */
  forTools?: 'only' | 'never';
  /** Choices of a multi-select that contradict each other, by their values. Only the choices of its list are valid. */
  contradictions?: string[][];
}

/** Returns the definition with its literal types, from which `ParameterValue` derives the value's type. */
export const defineParameter = <const P extends ParameterDefinition>(definition: P): P => definition;

/** Returns the inputs of a row with their literal names, which are the keys of a row that is read. */
export const defineRow = <const P extends INodeProperties[]>(...inputs: P): P => inputs;

/** Creates the collection "Options". The form sorts its options by their labels. */
export const createOptions = (...options: INodeProperties[]) =>
  defineParameter({
    displayName: 'Options',
    name: 'options',
    type: 'collection',
    placeholder: 'Add Option',
    default: {},
    options,
  });
