import type { FilterScope, FilterSubject } from './subject';

/** A comparison with the value of a subject; undefined when the filter's value is not valid. */
type Comparison = ((value: never) => boolean) | undefined;

export interface Operator {
  takesValue: boolean | 'optional';
  build(val: string, subject: FilterSubject, scope: FilterScope): Comparison;
}

export const withValue = (build: Operator['build']): Operator => ({ takesValue: true, build });

export const withoutValue = (test: (value: never) => boolean): Operator => ({
  takesValue: false,
  build: () => test,
});

export function negate(operator: Operator): Operator {
  return {
    ...operator,
    build: (...args) => {
      const comparison = operator.build(...args);
      return comparison && ((value) => !comparison(value));
    },
  };
}

/** An operator that holds for one of the values of a comma list. */
export const anyOf = (operator: Operator): Operator =>
  withValue((list, ...rest) => {
    const comparisons = list.split(',').map((val) => operator.build(val.trim(), ...rest));
    return (value) => comparisons.some((comparison) => comparison?.(value));
  });
