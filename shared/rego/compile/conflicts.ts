import { FaultAt } from '../errors.ts'
import type { Value } from '../value.ts'
import { pathText } from './tree.ts'
import type { Group, PlacedRule, TreeNode } from './tree.ts'

/** A fault and the rule at which it is reported. */
export interface RuleFault {
  readonly rule: PlacedRule
  readonly fault: FaultAt
}

/** Finds rules that conflict: different kinds at one place, two defaults, a rule below another's value. */
export function findConflicts(root: TreeNode, packages: readonly (readonly Value[])[]): RuleFault[] {
  const found: RuleFault[] = []
  for (const group of root.groups()) {
    const [rule] = group.rules
    const message = packageConflict(group, packages) ?? conflict(group)
    if (rule !== undefined && message !== undefined)
      found.push({ rule, fault: new FaultAt('rego_type_error', message, rule.rule.at) })
  }
  return found
}

function conflict(group: Group): string | undefined {
  const { rules, name } = group
  const kinds = new Set(rules.map(kindOf))
  const arities = new Set(rules.map(({ rule }) => rule.args?.length ?? -1))
  if (kinds.size > 1 || arities.size > 1) return `conflicting rules ${name} found`
  if (rules.filter(({ rule }) => rule.isDefault).length > 1) return `multiple default rules ${name} found`
  // There are no places below a value or a set, only below a document of keys.
  const [kind] = kinds
  if (kind === 'keys' || group.node.children.size === 0) return undefined
  const below = [...group.node.groups()].filter((other) => other !== group)
  return below.length === 0 ? undefined : `rule ${name} conflicts with [${below.map((other) => other.name).join(' ')}]`
}

function kindOf({ rule, tail }: PlacedRule): 'value' | 'set' | 'keys' {
  if (tail.length > 0) return 'keys'
  return rule.member === undefined ? 'value' : 'set'
}

function packageConflict(group: Group, packages: readonly (readonly Value[])[]): string | undefined {
  if (group.rules.some(({ tail }) => tail.length > 0)) return undefined
  const inside = packages.find(
    (path) => path.length >= group.path.length && group.path.every((key, i) => path[i] === key),
  )
  return inside && `package ${pathText(inside)} conflicts with rule ${group.name}`
}
