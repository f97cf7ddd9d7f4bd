import type { Body, Module, Rule, Term } from '../ast.ts'
import { FaultAt, PolicyError } from '../errors.ts'
import type { Fault } from '../errors.ts'
import { MAX_FAULTS } from '../limits.ts'
import type { Source } from '../source.ts'
import type { Value } from '../value.ts'
import { arityOf, checkCalls, checkTermCalls, checkWiths } from './calls.ts'
import type { Functions } from './calls.ts'
import { findConflicts } from './conflicts.ts'
import { findRecursion } from './recursion.ts'
import { Resolver } from './resolve.ts'
import type { Globals, Known } from './resolve.ts'
import { checkBound, orderBody, orderTerm } from './safety.ts'
import { addVariables, calleeOf, termClosures, visitClosure, visitLiterals } from './terms.ts'
import { TreeNode, plant, split } from './tree.ts'
import type { Group, PlacedRule } from './tree.ts'
import { TypeCheck } from './types.ts'

export interface ParsedModule {
  readonly source: Source
  readonly module: Module
}

/** The value of a call that depends on the annotations of its rule; undefined for any other call. */
export type MetadataOf = (builtin: string, rule: Rule, module: Module) => Value | undefined

const WITHOUT_METADATA: MetadataOf = () => undefined

/** Checked rules by place, with resolved names and bodies in an order in which they can be evaluated. */
export interface Program {
  readonly functions: Functions
}

/**
 * Compiles parsed modules. The passes stop at the first that finds faults, because later ones rely on earlier ones.
 * @throws PolicyError with every fault of that pass
 */
export function compileModules(
  parsed: readonly ParsedModule[],
  builtins: Functions['builtins'],
  metadataOf = WITHOUT_METADATA,
): Program {
  const faults = new Faults()
  const resolved = resolveRules(parsed, builtins, faults, metadataOf)
  faults.stopIfAny()

  const root = planted(parsed, (rule) => resolved.get(rule) ?? rule)
  const functions: Functions = { builtins, root }
  const packages = parsed.map(({ module }) => module.package)
  for (const { rule, fault } of findConflicts(root, packages)) faults.add(rule.source, [fault])
  faults.stopIfAny()

  const strictBySource = new Map(parsed.map(({ source, module }) => [source, module.strict]))
  for (const { rule, source } of rulesOf(root))
    faults.of(source, (found) => checkRule(rule, functions, strictBySource.get(source) ?? true, found))
  faults.stopIfAny()

  const ordered = new Map<Rule, Rule>()
  for (const { rule, source } of rulesOf(root))
    ordered.set(
      rule,
      faults.of(source, (found) => orderRule(rule, found)),
    )
  faults.stopIfAny()

  for (const group of root.groups()) replaceRules(group, ordered)
  for (const { rule, fault } of findRecursion(rulesOf(root), functions)) faults.add(rule.source, [fault])
  faults.stopIfAny()

  const types = new TypeCheck(functions)
  for (const { rule, source } of rulesOf(root)) faults.of(source, (found) => types.check(rule, found))
  faults.stopIfAny()
  return { functions }
}

const rulesOf = (root: TreeNode): PlacedRule[] => [...root.groups()].flatMap(({ rules }) => rules)

/** The faults of a pass, each with its place. */
class Faults {
  readonly #faults: Fault[] = []

  add(source: Source, found: readonly FaultAt[]): void {
    this.#faults.push(...found.map((fault) => located(source, fault)))
  }

  /** Runs a step on one source, and adds the faults that it finds. */
  of<Result>(source: Source, step: (found: FaultAt[]) => Result): Result {
    const found: FaultAt[] = []
    const result = step(found)
    this.add(source, found)
    return result
  }

  /** @throws PolicyError */
  stopIfAny(): void {
    if (this.#faults.length > 0) throw new PolicyError(sorted(this.#faults))
  }
}

/** The rules as written, each with its resolved form. */
function resolveRules(
  parsed: readonly ParsedModule[],
  builtins: Functions['builtins'],
  faults: Faults,
  metadataOf: MetadataOf,
): ReadonlyMap<Rule, Rule> {
  const named = namesByPackage(parsed)
  const globals = parsed.map(({ source, module }) =>
    faults.of(source, (found) => globalsOf(module, named.get(JSON.stringify(module.package)) ?? [], found)),
  )
  // Places come first, from the rules as written, because resolving calls requires knowing the functions.
  const outline: Functions = { builtins, root: planted(parsed, (rule) => rule) }
  const arity: ConstructorParameters<typeof Resolver>[1] = (call) => arityOf(outline, calleeOf(call))
  const resolved = new Map<Rule, Rule>()
  parsed.forEach(({ source, module }, i) =>
    faults.of(source, (found) => {
      const known: Known = (builtin, rule) => metadataOf(builtin, rule, module)
      for (const rule of module.rules)
        resolved.set(rule, new Resolver(globals[i] ?? new Map(), arity, found, module.strict, known).rule(rule))
    }),
  )
  return resolved
}

/** Names of the rules of each package, which may consist of several modules. */
function namesByPackage(parsed: readonly ParsedModule[]): ReadonlyMap<string, readonly string[]> {
  const named = new Map<string, string[]>()
  for (const { module } of parsed) {
    const key = JSON.stringify(module.package)
    named.set(key, [...(named.get(key) ?? []), ...module.rules.map(ruleName)])
  }
  return named
}

/** Compiles a query against a program. @throws PolicyError */
export function compileQuery(body: Body, source: Source, program: Program, globals: Globals = new Map()): Body {
  const { functions } = program
  const faults: FaultAt[] = []
  const resolver = new Resolver(globals, (call) => arityOf(functions, calleeOf(call)), faults, false)
  const resolved = resolver.query(body)
  visitLiterals(resolved, (literal) => {
    checkCalls(literal, functions, false, faults)
    checkWiths(literal, functions, faults)
  })
  const ordered = orderBody(resolved, new Set(), faults)
  if (faults.length > 0) throw new PolicyError(sorted(faults.map((fault) => located(source, fault))))
  return ordered.body
}

export const located = (source: Source, { code, message, at }: FaultAt): Fault => ({
  code,
  message,
  place: source.place(at),
})

/** By position, limited to the reported number, without duplicates. */
export function sorted(faults: readonly Fault[]): Fault[] {
  const distinct = new Map(
    faults.map((fault) => [`${fault.place.file}:${fault.place.row}:${fault.place.column}:${fault.message}`, fault]),
  )
  const order = (a: Fault, b: Fault): number =>
    a.place.file < b.place.file
      ? -1
      : a.place.file > b.place.file
        ? 1
        : a.place.row - b.place.row || a.place.column - b.place.column
  return [...distinct.values()].sort(order).slice(0, MAX_FAULTS)
}

const ruleName = ({ name }: Rule): string => (name.type === 'var' ? name.name : '')

/** Names of the package's rules and of its imports. */
function globalsOf(module: Module, rules: readonly string[], faults: FaultAt[]): Globals {
  const globals = new Map<string, readonly Value[]>()
  for (const name of rules) globals.set(name, ['data', ...module.package, name])
  if (module.strict)
    for (const rule of module.rules) {
      const name = ruleName(rule)
      if (name === 'input' || name === 'data')
        faults.push(
          new FaultAt('rego_compile_error', `rules must not shadow ${name} (use a different rule name)`, rule.at),
        )
    }
  const imported = new Set<string>()
  for (const { path, alias, at } of module.imports) {
    const [root] = path
    if (root === 'future' || root === 'rego') continue
    const last = path.at(-1)
    const name = alias ?? (typeof last === 'string' ? last : '')
    if (module.strict && imported.has(name))
      faults.push(new FaultAt('rego_compile_error', `import must not shadow import ${pathOf(path)}`, at))
    if (module.strict && alias !== undefined && (alias === 'input' || alias === 'data'))
      faults.push(
        new FaultAt('rego_compile_error', `import must not shadow ${alias} (use a different variable name)`, at),
      )
    imported.add(name)
    if (name !== root || path.length > 1) globals.set(name, path)
  }
  return globals
}

const pathOf = (path: readonly Value[]): string => path.map(String).join('.')

function planted(parsed: readonly ParsedModule[], version: (rule: Rule) => Rule): TreeNode {
  const root = new TreeNode(null, undefined)
  for (const { source, module } of parsed) {
    root.grow(module.package).isPackage = true
    for (const written of module.rules) {
      const rule = version(written)
      const { place, tail } = split(rule.path)
      plant(root, { source, place: [...module.package, ruleName(rule), ...place], tail, rule })
    }
  }
  return root
}

function replaceRules(group: Group, ordered: ReadonlyMap<Rule, Rule>): void {
  group.rules.forEach((placed: PlacedRule, i) => {
    const rule = ordered.get(placed.rule) ?? placed.rule
    const constants = placed.rule.path.length - placed.tail.length
    group.rules[i] = { ...placed, rule, tail: rule.path.slice(constants) }
  })
}

function checkRule(rule: Rule, functions: Functions, strict: boolean, faults: FaultAt[]): void {
  const terms = headTerms(rule)
  for (const term of terms) checkTermCalls(term, functions, strict, faults)
  const checkLiteral = (literal: Body[number]): void => {
    checkCalls(literal, functions, strict, faults)
    checkWiths(literal, functions, faults)
  }
  visitLiterals(rule.body, checkLiteral)
  for (const term of terms) for (const closure of termClosures(term)) visitClosure(closure, checkLiteral)
  if (rule.otherwise) checkRule(rule.otherwise, functions, strict, faults)
}

const headTerms = ({ args, path, member, value }: Rule): readonly Term[] => [
  ...(args ?? []),
  ...path,
  ...(member ? [member] : []),
  value,
]

function orderRule(rule: Rule, faults: FaultAt[]): Rule {
  const given = addVariables(rule.args ?? [], new Set())
  const { body, bound } = orderBody(rule.body, given, faults)
  const built = [...rule.path, ...(rule.member ? [rule.member] : []), rule.value]
  if (!rule.isDefault) checkBound(built, bound, faults)
  const order = (term: Term): Term => orderTerm(term, bound, faults)
  return {
    ...rule,
    body,
    path: rule.path.map(order),
    member: rule.member && order(rule.member),
    value: order(rule.value),
    otherwise: rule.otherwise && orderRule(rule.otherwise, faults),
  }
}
