import { isTrue } from '../ast.ts'
import type { Literal, Rule, Term } from '../ast.ts'
import { memberAt } from '../builtins/operators.ts'
import { isRoot } from '../compile/terms.ts'
import { Float } from '../number.ts'
import { keyOf } from '../value.ts'
import type { Key, Value } from '../value.ts'
import type { World } from './evaluation.ts'
import { sidesOf } from './group-index.ts'

/** Ours: fewer rules are run faster than looked up. */
const FEWEST = 4
/** Ours: an index repeats the rules without a comparison for each value; a larger one is not built. */
const MOST_ENTRIES = 50_000

/** The rules that can succeed in a world, in their order. */
export type Candidates<Item> = (world: World) => readonly Item[]

/** A member of the input by constant keys, and the scalar with which a rule compares it. */
interface Comparison {
  readonly keys: readonly Value[]
  readonly value: Value
}

/**
 * Rules of one place, by the member of the input that most of them compare with a constant: `input.role == "auditor"`.
 * Only comparisons at the beginning of a body count, because what precedes a comparison may fail with an error, and
 * only rules without `else`.
 * @param rules of the items, in their order
 */
export function candidates<Item>(items: readonly Item[], rules: readonly Rule[]): Candidates<Item> {
  const all = (): readonly Item[] => items
  if (items.length < FEWEST) return all
  const compared = rules.map(comparisonsOf)
  const place = mostCompared(compared)
  if (place === undefined) return all
  const others: Item[] = []
  const byValue = new Map<Key, Item[]>()
  let entries = 0
  for (const [at, item] of items.entries()) {
    const value = compared[at]?.get(place.key)?.value
    if (value === undefined) for (const list of [others, ...byValue.values()]) list.push(item)
    else {
      const list = byValue.get(keyOf(value)) ?? [...others]
      byValue.set(keyOf(value), list)
      list.push(item)
    }
    entries += byValue.size
    if (value === undefined && entries > MOST_ENTRIES) return all
  }
  return ({ input, evaluation }) => {
    evaluation.charge(1)
    const value = at(input, place.keys)
    return value === undefined || !isScalar(value) ? others : (byValue.get(keyOf(value)) ?? others)
  }
}

function at(input: Value | undefined, keys: readonly Value[]): Value | undefined {
  let value = input
  for (const key of keys) value = value === undefined ? undefined : memberAt(value, key)
  return value
}

/** Constants of an index are scalars: a collection equals none of them, and its key may be long. */
const isScalar = (value: Value): boolean => typeof value !== 'object' || value === null || value instanceof Float

function mostCompared(
  compared: readonly ReadonlyMap<Key, Comparison>[],
): { readonly key: Key; readonly keys: readonly Value[] } | undefined {
  const counts = new Map<Key, { count: number; keys: readonly Value[] }>()
  for (const comparisons of compared)
    for (const [key, { keys }] of comparisons) counts.set(key, { count: (counts.get(key)?.count ?? 0) + 1, keys })
  const [most] = [...counts].sort(([, a], [, b]) => b.count - a.count)
  return most === undefined || most[1].count < FEWEST ? undefined : { key: most[0], keys: most[1].keys }
}

/** The comparisons with which a body begins, by the key of their place in the input. */
function comparisonsOf({ body, otherwise }: Rule): ReadonlyMap<Key, Comparison> {
  const found = new Map<Key, Comparison>()
  if (otherwise !== undefined) return found
  for (const literal of body) {
    if (isTrue(literal)) continue
    const comparison = comparisonOf(literal)
    if (comparison === undefined) break
    const key = keyOf(comparison.keys)
    if (!found.has(key)) found.set(key, comparison)
  }
  return found
}

function comparisonOf({ negated, withs, expression }: Literal): Comparison | undefined {
  const [left, right] = negated || withs.length > 0 ? [] : (sidesOf(expression) ?? [])
  return left && right && (between(left, right) ?? between(right, left))
}

function between(member: Term, wanted: Term): Comparison | undefined {
  if (member.type !== 'ref' || !isRoot(member.head) || member.head.name !== 'input') return undefined
  if (wanted.type !== 'const' || !isScalar(wanted.value)) return undefined
  const keys = member.path.flatMap((key) => (key.type === 'const' ? [key.value] : []))
  return keys.length === member.path.length ? { keys, value: wanted.value } : undefined
}
