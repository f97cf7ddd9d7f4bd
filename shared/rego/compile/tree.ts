import { isTrue } from '../ast.ts'
import type { Rule, Term } from '../ast.ts'
import type { Source } from '../source.ts'
import { text } from '../text.ts'
import { keyOf } from '../value.ts'
import type { Key, Value } from '../value.ts'
import { charge } from '../work.ts'

/** A rule with resolved names, and its place in `data`. */
export interface PlacedRule {
  readonly source: Source
  /** constant part of its place, including the package */
  readonly place: readonly Value[]
  /** the rest of its place, from the first key that is not constant */
  readonly tail: readonly Term[]
  readonly rule: Rule
}

export type GroupKind = 'complete' | 'function' | 'partial'

/** All rules of one place in `data`: together they define the document there. */
export class Group {
  readonly path: readonly Value[]
  readonly node: TreeNode
  readonly rules: PlacedRule[] = []

  constructor(path: readonly Value[], node: TreeNode) {
    this.path = path
    this.node = node
  }

  get kind(): GroupKind {
    if (this.arity > 0) return 'function'
    return this.rules.every(({ rule, tail }) => rule.member === undefined && tail.length === 0) ? 'complete' : 'partial'
  }

  /** The value, if it is that of a single rule without conditions: `admins := {"ann", "bob"}`. */
  get constant(): Value | undefined {
    const [only, another] = this.rules
    if (only === undefined || another !== undefined || this.kind !== 'complete') return undefined
    const { value, body, otherwise, isDefault } = only.rule
    if (value.type !== 'const' || otherwise !== undefined || isDefault || !body.every(isTrue)) return undefined
    return value.value
  }

  /** Whether it can be called. Without operands it is a document as well. */
  get isCallable(): boolean {
    return this.rules[0]?.rule.args !== undefined
  }

  get arity(): number {
    return this.rules[0]?.rule.args?.length ?? 0
  }

  /** `data.app.allow` */
  get name(): string {
    return pathText(this.path)
  }
}

/** `data.a.b["c-d"]` */
export const pathText = (path: readonly Value[]): string => ['data', ...path.map((key) => pathPart(key))].join('')

const pathPart = (key: Value): string =>
  typeof key === 'string' && /^[A-Za-z_][A-Za-z0-9_]*$/.test(key) ? `.${key}` : `[${text(key)}]`

/** A place in `data` that a package or a rule is at or below. */
export class TreeNode {
  readonly key: Value
  readonly parent: TreeNode | undefined
  readonly children = new Map<Key, TreeNode>()
  group: Group | undefined
  /** set if a package is here: where nothing is defined, its document is the empty object */
  isPackage = false

  constructor(key: Value, parent: TreeNode | undefined) {
    this.key = key
    this.parent = parent
  }

  child(key: Value): TreeNode | undefined {
    return this.children.get(keyOf(key))
  }

  /** The node at a path below, created if missing. */
  grow(path: readonly Value[]): TreeNode {
    return path.reduce<TreeNode>((node, key) => {
      charge()
      const next = node.child(key) ?? new TreeNode(key, node)
      node.children.set(keyOf(key), next)
      return next
    }, this)
  }

  /** This node's groups and those of all nodes below. */
  *groups(): Generator<Group> {
    charge()
    if (this.group !== undefined) yield this.group
    for (const child of this.children.values()) yield* child.groups()
  }
}

/** Adds a rule: the constant part of its name determines its node, the rest is its tail. */
export function plant(root: TreeNode, rule: PlacedRule): void {
  const node = root.grow(rule.place)
  node.group ??= new Group(rule.place, node)
  node.group.rules.push(rule)
}

/** Splits a rule's path below its package into the constant part and the rest. */
export function split(path: readonly Term[]): { place: Value[]; tail: Term[] } {
  const place: Value[] = []
  for (const key of path) {
    if (key.type !== 'const') break
    place.push(key.value)
  }
  return { place, tail: path.slice(place.length) }
}

/**
 * Rules that a reference may read, by its keys (undefined for a key that is not constant): those on its path, those at
 * its end, and those below.
 */
export function reachable(root: TreeNode, path: readonly (Value | undefined)[]): PlacedRule[] {
  const found: PlacedRule[] = []
  const walk = (node: TreeNode, at: number): void => {
    charge(1 + (node.group?.rules.length ?? 0))
    if (at === path.length) {
      for (const group of node.groups()) found.push(...group.rules)
      return
    }
    if (node.group !== undefined) found.push(...node.group.rules.filter(({ tail }) => mayMatch(tail, path.slice(at))))
    const key = path[at]
    if (key === undefined) for (const child of node.children.values()) walk(child, at + 1)
    else {
      const child = node.child(key)
      if (child !== undefined) walk(child, at + 1)
    }
  }
  walk(root, 0)
  return found
}

const mayMatch = (tail: readonly Term[], keys: readonly (Value | undefined)[]): boolean =>
  tail.every((term, i) => {
    const key = keys[i]
    return key === undefined || term.type !== 'const' || keyOf(term.value) === keyOf(key)
  })
