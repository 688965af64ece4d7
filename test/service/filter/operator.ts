import type { Scope, Subject } from './subject';

/** A comparison ready to run on what the subject reads; undefined when its value makes no sense. */
export type Comparison = ((value: never) => boolean) | undefined;

export interface Operator {
  takesValue: boolean | 'optional';
  build(val: string, subject: Subject, scope: Scope): Comparison;
}

export const withValue = (build: Operator['build']): Operator => ({ takesValue: true, build });

export const withoutValue = (test: (value: never) => boolean): Operator => ({
  takesValue: false,
  build: () => test,
});

export function not(operator: Operator): Operator {
  return {
    ...operator,
    build: (...args) => {
      const comparison = operator.build(...args);
      return comparison && ((value) => !comparison(value));
    },
  };
}
