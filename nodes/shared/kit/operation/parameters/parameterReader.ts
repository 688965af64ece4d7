import { get } from 'lodash';
import type { INode } from 'n8n-workflow';
import { asObject } from '../../../model/input/isObject';
import { createOptions, type ParameterDefinition, type ParameterValue } from '../parameter';
import { parseParameter, type RawValue } from './parseParameter';

/** Reads the parameters of a node by their definitions. */
export class ParameterReader {
  private readOptions?: Record<string, unknown>;

  /** @param getValue returns a parameter as entered, or the definition's default when the form does not show it */
  constructor(
    private readonly getNodeCopy: () => INode,
    private readonly getValue: (definition: ParameterDefinition) => unknown,
  ) {}

  /** Returns the checked value of a parameter, or its default when the form does not show it. @throws InputError */
  read<const P extends ParameterDefinition>(definition: P): ParameterValue<P> {
    return parseParameter(definition, this.createRawValue(this.getValue(definition), definition.name));
  }

  /** Returns the checked value of an option, or undefined when it was not added. @throws InputError */
  readOption<const P extends ParameterDefinition>(definition: P): ParameterValue<P> | undefined {
    const { name } = definition;
    if (!this.hasOption(definition)) return undefined;
    return parseParameter(definition, this.createRawValue(this.options[name], ['options', name]));
  }

  /** Whether an option was added. */
  hasOption({ name }: ParameterDefinition): boolean {
    return Object.hasOwn(this.options, name);
  }

  private get options(): Record<string, unknown> {
    return (this.readOptions ??= asObject(this.getValue(createOptions())));
  }

  /** `isExpression` is evaluated only when it is read, because n8n copies the whole node on each access. */
  private createRawValue(value: unknown, path: string | string[]): RawValue {
    const isExpression = () => this.isExpression(path);
    return {
      value,
      get isExpression() {
        return isExpression();
      },
    };
  }

  /** Whether a parameter of the node is an expression. Pass `path` as an array when a key may contain a dot. */
  isExpression(path: string | string[]): boolean {
    const given: unknown = get(this.getNodeCopy().parameters, path);
    const text = typeof given === 'object' && given !== null && 'value' in given ? given.value : given;
    return typeof text === 'string' && text.startsWith('=');
  }
}
