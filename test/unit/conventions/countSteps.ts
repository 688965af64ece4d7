import { type AST, RegExpParser } from '@eslint-community/regexpp';

/** Counts the steps of a regular expression: without a clock, they show how its work grows with the length of a text. */

type Continue = (at: number) => boolean;
type Matcher = (at: number, next: Continue) => boolean;
type CharacterNode = AST.Character | AST.CharacterClass | AST.CharacterSet | AST.ExpressionCharacterClass;

/** No text of the test needs more steps, unless its pattern blows up. */
const MAX_STEPS = 2_000_000;

/** Runs a pattern as a backtracking engine does. Simpler than that of V8, with the same growth. */
class Run {
  steps = 0;
  private readonly groups = new Map<AST.CapturingGroup, string>();

  constructor(
    private readonly pattern: AST.RegExpLiteral,
    private readonly text: string,
  ) {}

  /** Tries the pattern at each place of the text, as an unanchored search does. */
  search(): number {
    const matcher = this.createAny(this.pattern.pattern.alternatives);
    const last = this.pattern.flags.sticky ? 0 : this.text.length;
    for (let at = 0; at <= last; at++) if (matcher(at, () => true) || this.steps >= MAX_STEPS) break;
    return this.steps;
  }

  private createAny(alternatives: AST.Alternative[]): Matcher {
    const matchers = alternatives.map(({ elements }) => this.createSequence(elements));
    return (at, next) => matchers.some((matcher) => matcher(at, next));
  }

  private createSequence(elements: AST.Element[]): Matcher {
    const matchers = elements.map((element) => this.create(element));
    const matchFrom = (index: number, at: number, next: Continue): boolean => {
      const matcher = matchers[index];
      return matcher ? matcher(at, (end) => matchFrom(index + 1, end, next)) : next(at);
    };
    return (at, next) => matchFrom(0, at, next);
  }

  private create(node: AST.Element): Matcher {
    switch (node.type) {
      case 'Group':
        return this.createAny(node.alternatives);
      case 'CapturingGroup':
        return this.createGroup(node);
      case 'Quantifier':
        return this.createQuantifier(node);
      case 'Assertion':
        return this.createAssertion(node);
      case 'Backreference':
        return (at, next) => {
          const text = [node.resolved]
            .flat()
            .reduce((found, group) => found || (this.groups.get(group) ?? ''), '');
          this.steps += text.length + 1;
          return this.text.startsWith(text, at) && next(at + text.length);
        };
      default: {
        const matches = createTest(node, this.pattern.flags.raw);
        return (at, next) => {
          this.steps++;
          const character = this.text[at];
          return character !== undefined && matches(character) && next(at + 1);
        };
      }
    }
  }

  private createGroup(node: AST.CapturingGroup): Matcher {
    const matcher = this.createAny(node.alternatives);
    return (at, next) =>
      matcher(at, (end) => {
        this.groups.set(node, this.text.slice(at, end));
        return next(end);
      });
  }

  private createQuantifier({ element, min, max, greedy }: AST.Quantifier): Matcher {
    const matcher = this.create(element);
    const repeat = (count: number, at: number, next: Continue): boolean => {
      this.steps++;
      if (this.steps > MAX_STEPS) return true;
      const again = () =>
        count < max && matcher(at, (end) => (end > at || count < min) && repeat(count + 1, end, next));
      const leave = () => count >= min && next(at);
      return greedy ? again() || leave() : leave() || again();
    };
    return (at, next) => repeat(0, at, next);
  }

  private createAssertion(node: AST.Assertion): Matcher {
    const isWord = (at: number) => /\w/.test(this.text[at] ?? '');
    const isMultiline = this.pattern.flags.multiline;
    const holds = (at: number): boolean => {
      this.steps++;
      if (node.kind === 'word') return (isWord(at - 1) !== isWord(at)) !== node.negate;
      if (node.kind !== 'lookahead' && node.kind !== 'lookbehind') {
        const isEdge = node.kind === 'start' ? at === 0 : at === this.text.length;
        return isEdge || (isMultiline && this.text[node.kind === 'start' ? at - 1 : at] === '\n');
      }
      const matcher = this.createAny(node.alternatives);
      const found =
        node.kind === 'lookahead'
          ? matcher(at, () => true)
          : // Those of the package look back at one character.
            matcher(Math.max(0, at - 1), (end) => end === at);
      return found !== node.negate;
    };
    return (at, next) => holds(at) && next(at);
  }
}

const tests = new Map<string, (character: string) => boolean>();

/** Returns whether a character belongs to a class, by the engine itself. */
function createTest(node: CharacterNode, flags: string): (character: string) => boolean {
  const key = `${node.raw}/${flags}`;
  let test = tests.get(key);
  if (!test) {
    const known = new Map<string, boolean>();
    const pattern = new RegExp(`^(?:${node.raw})$`, flags.replace(/[gmy]/g, ''));
    test = (character) => {
      let result = known.get(character);
      if (result === undefined) known.set(character, (result = pattern.test(character)));
      return result;
    };
    tests.set(key, test);
  }
  return test;
}

const parser = new RegExpParser();

export const parsePattern = (source: string): AST.RegExpLiteral => parser.parseLiteral(source);

export const countSteps = (pattern: AST.RegExpLiteral, text: string): number =>
  new Run(pattern, text).search();

const CHARACTERS = [...'\t\n aAzZ059-._/\\"\'`()[]{}<>=,:;%+!?#&@*|~^$éß\u0000\u200b\u001b'];

/** A short text that an element matches; an optional one matches none. */
function findExample(node: AST.Element, flags: string): string {
  switch (node.type) {
    case 'Group':
    case 'CapturingGroup':
      return (node.alternatives[0]?.elements ?? []).map((one) => findExample(one, flags)).join('');
    case 'Quantifier':
      return findExample(node.element as AST.Element, flags).repeat(Math.min(node.min, 4));
    case 'Assertion':
    case 'Backreference':
      return '';
    case 'Character':
      return String.fromCodePoint(node.value);
    default:
      return CHARACTERS.find(createTest(node, flags)) ?? 'a';
  }
}

interface Loop {
  prefix: string;
  units: string[];
}

/** Finds what repeats in a pattern: a text that leads to it, and texts that it repeats. */
function findLoops(pattern: AST.RegExpLiteral): Loop[] {
  const flags = pattern.flags.raw;
  const loops: Loop[] = [];
  const visit = (elements: AST.Element[], prefix: string): void => {
    let before = prefix;
    for (const element of elements) {
      if (element.type === 'Group' || element.type === 'CapturingGroup')
        for (const { elements: inner } of element.alternatives) visit(inner, before);
      if (element.type === 'Assertion' && (element.kind === 'lookahead' || element.kind === 'lookbehind'))
        for (const { elements: inner } of element.alternatives) visit(inner, before);
      if (element.type === 'Quantifier') {
        const one = findExample({ ...element, min: 1 } as AST.Quantifier, flags);
        if (element.max > 20) loops.push({ prefix: before, units: [one] });
        visit([element.element as AST.Element], before);
      }
      before += findExample(element, flags);
    }
  };
  for (const { elements } of pattern.pattern.alternatives) visit(elements, '');
  return loops;
}

/** Texts that make a pattern slow if any do: what a loop repeats, after what leads to it, and before what fails. */
export function* createTexts(pattern: AST.RegExpLiteral, length: number): Generator<string> {
  const loops = findLoops(pattern);
  const own = [...pattern.pattern.raw].filter((character) => /[^\\()[\]|?*+{}^$]/.test(character));
  const characters = [...new Set([...CHARACTERS.slice(0, 12), ...own])];
  const units = [
    ...new Set([
      ...loops.flatMap((loop) => loop.units),
      ...characters,
      ...characters.map((one) => `${one} `),
      ...loops.flatMap((loop) => loop.units).map((unit) => `${unit}\t`),
    ]),
  ].filter((unit) => unit !== '');
  const prefixes = [...new Set(['', ...loops.map(({ prefix }) => prefix)])];
  for (const prefix of prefixes)
    for (const unit of units)
      for (const suffix of ['', '\u0000'])
        yield prefix + unit.repeat(Math.ceil(length / unit.length)) + suffix;
}
