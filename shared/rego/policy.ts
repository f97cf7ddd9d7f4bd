import type { Body, Literal, Rule, Term } from './ast.ts'
import { plain } from './ast.ts'
import { LimitError } from './builtins/builtin.ts'
import type { Builtin } from './builtins/builtin.ts'
import { BUILTINS } from './builtins/index.ts'
import { METADATA } from './builtins/metadata.ts'
import { compileModules, compileQuery, located, sorted } from './compile/program.ts'
import type { ParsedModule, Program } from './compile/program.ts'
import { calleeOf, literalTerms, visit, visitLiterals } from './compile/terms.ts'
import { groupAt } from './compile/calls.ts'
import type { Group } from './compile/tree.ts'
import { EvaluationError, PolicyError } from './errors.ts'
import { Evaluation, Frame, World } from './eval/evaluation.ts'
import type { Evaluate, Succeeded } from './eval/evaluation.ts'
import { compilerOf } from './eval/compiler.ts'
import { dataEvaluator } from './eval/data.ts'
import { solutions } from './eval/query.ts'
import type { Bindings } from './eval/query.ts'
import { RuleScope } from './eval/scope.ts'
import type { Compiler } from './eval/scope.ts'
import { fromJson, toJsonText } from './json.ts'
import type { Json } from './json.ts'
import { LIMITS } from './limits.ts'
import type { Limits } from './limits.ts'
import { parseModule, parseQuery } from './parse/module.ts'
import type { Dialect, Parsed } from './parse/module.ts'
import { Source } from './source.ts'
import { RegoObject, RegoSet } from './value.ts'
import type { Value } from './value.ts'
import { CompileWork, TooMuchWork, within } from './work.ts'

export interface ModuleText {
  readonly text: string
  /** the name of the text in messages */
  readonly file: string
}

export interface PolicyOptions {
  readonly dialect: Dialect
  readonly limits?: Partial<Limits>
  /** Built-ins besides those of the table: a test may add some that are refused, in order to replace them by `with`. */
  readonly builtins?: readonly Builtin[]
  /** Limit of the cost of compiling, for all compilations that share it; by default, `limits.compileSteps`. */
  readonly work?: CompileWork
}

export interface EvaluateOptions {
  /** As JSON, or an existing object or set of Rego. Undefined: there is no input. */
  readonly input?: Json | RegoObject | RegoSet
  /** base documents, merged with the policy's own */
  readonly data?: Json | RegoObject
  /** nanoseconds since 1970: the time of this evaluation */
  readonly now: bigint
  /** randomness of this evaluation, for built-ins with random results */
  readonly seed: string
  /** The first failure of a built-in is thrown at the end, instead of the result. */
  readonly strict?: boolean
  readonly limits?: Partial<Limits>
}

/** A compiled policy. It keeps no state of evaluations: any number of them may share it. */
export class Policy {
  readonly #program: Program
  readonly #compiler: Compiler
  readonly #limits: Limits
  #lastPath: readonly Value[] | undefined
  #lastReader: Evaluate | undefined
  /** of the first module, without `data` */
  readonly package: readonly Value[]

  private constructor(program: Program, path: readonly Value[], limits: Limits) {
    this.#program = program
    this.#compiler = compilerOf(program.functions)
    this.package = path
    this.#limits = limits
  }

  /**
   * Parses and compiles the modules of one policy, and imports the dependencies of the built-ins that they call.
   * @throws PolicyError with every fault found, by position
   */
  static async compile(texts: readonly ModuleText[], options: PolicyOptions): Promise<Policy> {
    const limits = { ...LIMITS, ...options.limits }
    const builtins = new Map([...BUILTINS, ...(options.builtins ?? []).map((one) => [one.name, one] as const)])
    const work = options.work ?? new CompileWork(limits.compileSteps)
    const parse = (): ParsedModule[] =>
      texts.map(({ text, file }) => {
        const source = new Source(text, file)
        if (Buffer.byteLength(text) > limits.policyBytes)
          refuse(source, `policy is larger than ${limits.policyBytes} bytes`)
        return { source, module: accepted(parseModule(text, options.dialect, limits), source) }
      })
    const first = new Source(texts[0]?.text ?? '', texts[0]?.file ?? '')
    const during = <T>(step: () => T): T => unlessTooMuch(first, () => within(work, step))
    const { parsed, called } = during(() => {
      const parsed = parse()
      return {
        parsed,
        called: calledBuiltins(
          parsed.flatMap(({ module }) => module.rules.flatMap(literalsOf)),
          builtins,
        ),
      }
    })
    const annotated = METADATA.some((one) => called.has(one))
    const read = annotated ? (await import('./annotations/annotations.ts')).readAnnotations : undefined
    const program = during(() => compileModules(parsed, builtins, read?.(parsed, limits)))
    for (const builtin of called) await builtin.load?.()
    return new Policy(program, parsed[0]?.module.package ?? [], limits)
  }

  /** The rules at a path below `data`, if any. */
  group(path: readonly Value[]): Group | undefined {
    return groupAt(this.#program.functions.root, path)
  }

  /**
   * The document at a path below `data`, or undefined.
   * @param traced rules whose succeeding bodies are requested; then all of them are run
   * @throws EvaluationError
   */
  document(path: readonly Value[], options: EvaluateOptions, traced?: Group): Answer {
    const evaluate = this.#reader(path)
    return this.#run(options, (world) => {
      world.evaluation.traced = traced
      const value = evaluate(new Frame(world, 0))
      if (
        value !== undefined &&
        typeof value === 'object' &&
        // The weight is a lower bound of the text's length: a value that is far too large is refused before its text is
        // written.
        (world.evaluation.weigh(value) > world.evaluation.limits.resultUnits ||
          toJsonText(value).length > world.evaluation.limits.resultUnits)
      )
        world.evaluation.exceed('result is too large')
      return { value, succeeded: world.evaluation.succeeded }
    })
  }

  /** The evaluator of the document at a path. The last one is cached, since decisions repeat the same path. */
  #reader(path: readonly Value[]): Evaluate {
    if (this.#lastPath === path && this.#lastReader !== undefined) return this.#lastReader
    const keys = path.map((value): Term => ({ type: 'const', value, at: 0 }))
    this.#lastReader = dataEvaluator(keys, new RuleScope(this.#compiler, QUERY))
    this.#lastPath = path
    return this.#lastReader
  }

  /** Every solution of a query, in the order they are found. @throws PolicyError, EvaluationError */
  async query(text: string, options: EvaluateOptions): Promise<Bindings[]> {
    const source = new Source(text, QUERY.file)
    const body = accepted(parseQuery(text, this.#limits), source)
    for (const builtin of calledBuiltins(body, this.#program.functions.builtins)) await builtin.load?.()
    const ordered = compileQuery(body, source, this.#program)
    return this.#run(options, (world) => solutions(ordered, source, this.#compiler, world))
  }

  /** One evaluation within its limits. Exceeding a limit, or the stack, ends it as `eval_cancel_error`. */
  #run<T>(options: EvaluateOptions, work: (world: World) => T): T {
    const limits = options.limits === undefined ? this.#limits : { ...this.#limits, ...options.limits }
    const evaluation = new Evaluation(limits, options.now, options.seed)
    try {
      const input = options.input === undefined ? undefined : documentOf(options.input, limits)
      const data = options.data === undefined ? undefined : documentOf(options.data, limits)
      const result = work(new World(evaluation, { input, data }))
      if (options.strict && evaluation.firstFailure !== undefined) throw evaluation.firstFailure
      return result
    } catch (error) {
      if (error instanceof LimitError) throw new EvaluationError('eval_cancel_error', error.message)
      if (error instanceof RangeError)
        throw new EvaluationError('eval_cancel_error', 'evaluation is nested too deep', undefined, { cause: error })
      throw error
    }
  }
}

export interface Answer {
  readonly value: Value | undefined
  /** bodies of the traced rules that succeeded, in the order of the text */
  readonly succeeded: readonly Succeeded[]
}

const QUERY = new Source('', 'query')

function accepted<T>(parsed: Parsed<T>, source: Source): T {
  if ('ok' in parsed) return parsed.ok
  throw new PolicyError(sorted(parsed.faults.map((fault) => located(source, fault))))
}

function refuse(source: Source, message: string, timedOut = false): never {
  throw new PolicyError([{ code: 'rego_compile_error', message, place: source.place(0) }], { timedOut })
}

/** The parser bounds nesting; if a text still overflows the stack, it is refused. */
function unlessTooMuch<T>(source: Source, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof TooMuchWork) return refuse(source, error.message, error.timedOut)
    if (error instanceof RangeError) return refuse(source, 'policy is nested too deep')
    throw error
  }
}

/** Converts a document, counting its texts and values. @throws LimitError */
function documentOf(document: Json | RegoObject | RegoSet, limits: Limits): Value {
  if (document instanceof RegoObject || document instanceof RegoSet) return document
  let size = 0
  return fromJson(document, (depth, text) => {
    size += text.length + 1
    if (depth > limits.inputDepth) throw new LimitError('input is nested too deep')
    if (size > limits.inputSize) throw new LimitError('input is too large')
  })
}

/** A rule and its branches as literals, including heads, for visitors of every term. */
function literalsOf(first: Rule): Body {
  const literals: Literal[] = []
  for (let rule: Rule | undefined = first; rule !== undefined; rule = rule.otherwise) {
    const head = [...(rule.args ?? []), ...rule.path, rule.value, ...(rule.member ? [rule.member] : [])]
    literals.push(...head.map((term) => plain({ type: 'term', term }, term.at)), ...rule.body)
  }
  return literals
}

/**
 * The built-ins that a text calls: those with dependencies import them in advance, because evaluation is synchronous.
 */
function calledBuiltins(body: Body, builtins: ReadonlyMap<string, Builtin>): ReadonlySet<Builtin> {
  const called = new Set<Builtin>()
  const note = (name: string): void => {
    const builtin = builtins.get(name)
    if (builtin !== undefined) called.add(builtin)
  }
  visitLiterals(body, (literal: Literal) => {
    for (const term of literalTerms(literal))
      visit(term, (inner) => {
        const name = inner.type === 'call' ? inner.name : inner
        if (name.type !== 'var' && name.type !== 'ref') return
        const callee = calleeOf({ type: 'call', name, args: [], at: name.at })
        if ('builtin' in callee) note(callee.builtin)
      })
  })
  return called
}
