import { isGenerated } from '../ast.ts'
import type { Body } from '../ast.ts'
import { addVariables, literalTerms, shown } from '../compile/terms.ts'
import type { Source } from '../source.ts'
import type { Value } from '../value.ts'
import { Frame } from './evaluation.ts'
import type { World } from './evaluation.ts'
import { RuleScope } from './scope.ts'
import type { Compiler } from './scope.ts'

/** One solution of a query: its variables, by their names in the text. */
export type Bindings = ReadonlyMap<string, Value>

/** Every solution of a compiled query, in the order they are found. */
export function solutions(body: Body, source: Source, compiler: Compiler, world: World): Bindings[] {
  const scope = new RuleScope(compiler, source)
  const found: Bindings[] = []
  const names = new Set<string>()
  for (const literal of body) addVariables(literalTerms(literal), names)
  const run = scope.bodyRun(body, () => {
    const slots = [...names]
      .filter((name) => !isGenerated(name))
      .map((name) => [shown(name), scope.slot(name)] as const)
    return (frame) => {
      const bindings = new Map<string, Value>()
      for (const [name, slot] of slots) {
        const value = frame.slots[slot]
        if (value !== undefined) bindings.set(name, value)
      }
      world.evaluation.allocate(bindings.size + 1)
      found.push(bindings)
      return true
    }
  })
  run(new Frame(world, scope.size))
  return found
}
