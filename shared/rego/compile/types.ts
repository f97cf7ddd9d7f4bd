import type { Call, Ref, Rule, Term } from '../ast.ts'
import { isGenerated } from '../ast.ts'
import { OPERAND_TYPES } from '../builtins/operand-types.ts'
import { FaultAt } from '../errors.ts'
import { Float } from '../number.ts'
import { RegoObject, isArray, keyOf, typeName } from '../value.ts'
import type { Key, TypeName, Value } from '../value.ts'
import type { Functions } from './calls.ts'
import {
  calleeOf,
  constant,
  isRoot,
  literalTerms,
  shown,
  termClosures,
  visit,
  visitClosure,
  visitLiterals,
} from './terms.ts'
import type { Closure } from './terms.ts'
import { pathText } from './tree.ts'
import type { Group, TreeNode } from './tree.ts'

/** Facts about the names that a rule assigns. */
type Names = ReadonlyMap<string, Shape>

/**
 * A value as far as it is known from the text: the terms that it may come from, with names as in their rule. Undefined:
 * any value.
 */
type Shape = readonly Piece[] | undefined

interface Piece {
  readonly term: Term
  readonly names: Names
}

/** Above this number a value counts as unknown, because every reference to it would read all of them. */
const MOST_PIECES = 16

/** A reference that has no value, whatever the input: the first key without a member, and the reason. */
interface Broken {
  readonly keys: number
  readonly why: string
}

/**
 * Finds expressions that can have no value, whatever the input: a function that is named but not called, a key that a
 * literal does not have, an operand of a type that a built-in never accepts. Such an expression is undefined at run
 * time, which means allowed under `not`: `not is_blocked`, `not cfg.blockd[x]`, `not startswith(x, 5)`. Ours: types are
 * not inferred beyond that.
 */
export class TypeCheck {
  readonly #functions: Functions
  readonly #names = new Map<Rule, Names>()
  readonly #groups = new Map<Group, Shape>()
  readonly #members = new Map<Term, ReadonlyMap<Key, Term> | undefined>()

  constructor(functions: Functions) {
    this.#functions = functions
  }

  /** Checks a rule and its `else` branches, after recursion was excluded. */
  check(first: Rule, faults: FaultAt[]): void {
    for (let rule: Rule | undefined = first; rule !== undefined; rule = rule.otherwise) {
      const names = this.#namesOf(rule)
      const see = (term: Term): void => this.#checkTerm(term, names, faults)
      visitLiterals(rule.body, (literal) => literalTerms(literal).forEach(see))
      for (const closure of headClosures(rule)) visitClosure(closure, (literal) => literalTerms(literal).forEach(see))
    }
  }

  #checkTerm(term: Term, names: Names, faults: FaultAt[]): void {
    visit(term, (inner) => {
      const why =
        inner.type === 'ref' ? this.#faultOfRef(inner, names) : inner.type === 'call' && this.#faultOfCall(inner, names)
      if (why) faults.push(new FaultAt('rego_type_error', why, inner.at))
    })
  }

  #faultOfRef(ref: Ref, names: Names): string | undefined {
    const broken = this.#follow(ref, names)
    return broken && 'why' in broken ? `undefined ref: ${refText(ref, broken.keys)}: ${broken.why}` : undefined
  }

  #faultOfCall(call: Call, names: Names): string | undefined {
    const callee = calleeOf(call)
    const types = 'builtin' in callee ? OPERAND_TYPES.get(callee.builtin) : undefined
    for (const [i, wanted] of types?.entries() ?? []) {
      const operand = call.args[i]
      const found = operand && this.#shapeOf(operand, names)?.map(({ term }) => typeOf(term))
      if (found === undefined || found.some((type) => wanted.has(type))) continue
      const expected = wanted.size === 1 ? [...wanted].join() : `one of {${[...wanted].join(', ')}}`
      const name = 'builtin' in callee ? callee.builtin : ''
      return `${name}: invalid argument(s): operand ${i + 1} must be ${expected} but got ${[...new Set(found)].join(' or ')}`
    }
    return undefined
  }

  /** Facts about names from a rule's assignments. */
  #namesOf(rule: Rule): Names {
    const known = this.#names.get(rule)
    if (known !== undefined) return known
    const names = new Map<string, Shape>()
    this.#names.set(rule, names)
    const add = ({ expression }: Rule['body'][number]): void => {
      if (expression.type === 'unify' && expression.assigns && expression.left.type === 'var')
        names.set(expression.left.name, this.#shapeOf(expression.right, names))
    }
    visitLiterals(rule.body, add)
    for (const closure of headClosures(rule)) visitClosure(closure, add)
    return names
  }

  #shapeOf(term: Term, names: Names): Shape {
    if (term.type === 'call') return undefined
    if (term.type === 'var') return names.get(term.name)
    if (term.type !== 'ref') return [{ term, names }]
    const found = this.#follow(term, names)
    return found && 'why' in found ? undefined : found
  }

  /** The value of a reference, or the reason why it has none. */
  #follow({ head, path }: Ref, names: Names): Shape | Broken {
    if (!isRoot(head)) return this.#select(this.#shapeOf(head, names), path, 0)
    if (head.name === 'input') return undefined
    let node: TreeNode | undefined = this.#functions.root
    for (const [i, key] of path.entries()) {
      node = key.type === 'const' ? node.child(key.value) : undefined
      if (node === undefined) return undefined
      if (node.group?.kind === 'function')
        return node.group.arity > 0 ? { keys: i + 1, why: 'a function has to be called' } : undefined
      if (node.group !== undefined) return this.#select(this.#groupShape(node.group), path, i + 1)
    }
    return undefined
  }

  /** The value at the end of a path, starting at a position in it. */
  #select(start: Shape, path: readonly Term[], from: number): Shape | Broken {
    let shape = start
    for (let i = from; i < path.length && shape !== undefined; i++) {
      const key = path[i]
      const found = shape.map((piece) => this.#member(piece, key))
      if (found.every((one) => one === 'none')) return { keys: i + 1, why: 'there is no such key' }
      shape = union(found.filter((one) => one !== 'none'))
    }
    return shape
  }

  /** The value under a key of one piece. As in the reference, nothing is known about empty collections. */
  #member({ term, names }: Piece, key: Term | undefined): Shape | 'none' {
    const type = typeOf(term)
    if (type !== 'object' && type !== 'array' && type !== 'set') return 'none'
    if (key?.type !== 'const' || !isScalar(key.value)) return undefined
    const members = this.#membersOf(term)
    if (members === undefined) return undefined
    const found = members.get(keyOf(key.value))
    return found === undefined ? 'none' : this.#shapeOf(found, names)
  }

  /** The members of an array or object by their keys, if all keys are known and there are any. */
  #membersOf(term: Term): ReadonlyMap<Key, Term> | undefined {
    if (this.#members.has(term)) return this.#members.get(term)
    const members = new Map(entriesOf(term)?.map(([key, value]) => [keyOf(key), value]))
    const known = members.size === 0 ? undefined : members
    this.#members.set(term, known)
    return known
  }

  #groupShape(group: Group): Shape {
    if (this.#groups.has(group)) return this.#groups.get(group)
    const branches = group.kind === 'complete' && !group.isCallable ? branchesOf(group) : undefined
    this.#groups.set(group, undefined)
    const shape = branches && union(branches.map((rule) => this.#shapeOf(rule.value, this.#namesOf(rule))))
    this.#groups.set(group, shape)
    return shape
  }
}

const headClosures = ({ path, member, value }: Rule): Closure[] =>
  [...path, ...(member ? [member] : []), value].flatMap(termClosures)

/** All branches of all rules; undefined if there are too many to read. */
function branchesOf({ rules }: Group): readonly Rule[] | undefined {
  const branches: Rule[] = []
  for (const { rule: first } of rules)
    for (let rule: Rule | undefined = first; rule !== undefined; rule = rule.otherwise)
      if (branches.push(rule) > MOST_PIECES) return undefined
  return branches
}

/** A value that may be any of several. */
function union(shapes: readonly Shape[]): Shape {
  const pieces = shapes.flatMap((shape) => shape ?? [])
  return pieces.length > MOST_PIECES || shapes.includes(undefined) ? undefined : pieces
}

/** Keys and values of a literal array or object; undefined if one of the keys is computed, and for anything else. */
function entriesOf(term: Term): (readonly [Value, Term])[] | undefined {
  if (term.type === 'array') return term.items.map((item, i) => [i, item])
  if (term.type === 'object') {
    const entries = term.entries.flatMap(([key, value]) => (key.type === 'const' ? [[key.value, value] as const] : []))
    return entries.length === term.entries.length ? entries : undefined
  }
  if (term.type !== 'const') return undefined
  const { value, at } = term
  if (isArray(value)) return value.map((item, i) => [i, constant(item, at)])
  return value instanceof RegoObject ? value.keys.map((key) => [key, constant(value.get(key) ?? null, at)]) : undefined
}

/** Keys of other kinds are not compared here. */
const isScalar = (value: Value): boolean =>
  value === null || ['string', 'number', 'boolean'].includes(typeof value) || value instanceof Float

/** For a term that is not a variable, reference or call. */
function typeOf(term: Term): TypeName {
  switch (term.type) {
    case 'const':
      return typeName(term.value)
    case 'comprehension':
      return term.kind
    case 'template':
      return 'string'
    default:
      return term.type === 'array' || term.type === 'object' ? term.type : 'set'
  }
}

/** A reference up to a number of keys, in the author's spelling. */
function refText({ head, path }: Ref, keys: number): string {
  const values = path.slice(0, keys).map((key): Value => (key.type === 'const' ? key.value : '_'))
  const name = head.type === 'var' && !isGenerated(head.name) ? shown(head.name) : '(...)'
  return name + pathText(values).slice('data'.length)
}
