import type { BuiltinContext } from '../builtins/builtin.ts'
import { readYaml } from '../builtins/yaml-read.ts'
import { YamlError } from '../builtins/yaml-error.ts'
import { FaultAt } from '../errors.ts'
import type { Limits } from '../limits.ts'
import type { Comment } from '../parse/lexer.ts'
import type { Source } from '../source.ts'
import type { Value } from '../value.ts'
import { charge } from '../work.ts'

/** A block of comments that begins with `# METADATA`: its position, and the value of its YAML. */
export interface Block {
  readonly at: number
  readonly row: number
  readonly value: Value
}

/** The blocks of a text. A block ends at the first line without a comment in the first column. @throws FaultAt */
export function readBlocks(comments: readonly Comment[], source: Source, limits: Limits): Block[] {
  const blocks: { at: number; row: number; lines: string[]; last: number }[] = []
  let open: (typeof blocks)[number] | undefined
  for (const { at, text } of comments) {
    charge()
    const { row, column } = source.place(at)
    if (open !== undefined && row === open.last + 1 && column === 1) {
      open.lines.push(text.replace(/^ /, ''))
      open.last = row
      continue
    }
    open = text.trim().startsWith('METADATA') ? { at, row, lines: [], last: row } : undefined
    if (open !== undefined) blocks.push(open)
  }
  return blocks.map(({ at, row, lines }) => ({ at, row, value: valueOf(lines.join('\n'), at, limits) }))
}

function valueOf(text: string, at: number, limits: Limits): Value {
  if (text.trim() === '') throw new FaultAt('rego_parse_error', 'expected METADATA block, found whitespace', at)
  try {
    return readYaml(text, new CompileContext(limits, at))
  } catch (error) {
    if (error instanceof YamlError) throw new FaultAt('rego_parse_error', error.message, at)
    throw error
  }
}

/** Runs the YAML parser during a compilation, at the expense of its steps. */
class CompileContext implements BuiltinContext {
  readonly limits: Limits
  readonly now = 0n
  readonly seed = ''
  readonly #at: number
  #nodes = 0

  constructor(limits: Limits, at: number) {
    this.limits = limits
    this.#at = at
  }

  charge(steps: number): void {
    charge(steps)
  }

  allocate(nodes: number, textUnits = 0): void {
    this.#nodes += nodes + textUnits
    if (this.#nodes > this.limits.nodes) this.exceed('annotations are too large')
  }

  exceed(what: string): never {
    throw new FaultAt('rego_compile_error', what, this.#at)
  }

  remember<T>(_name: string, make: () => T): T {
    return make()
  }
}
