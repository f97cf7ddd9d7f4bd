import type { Module, Rule } from '../ast.ts'
import type { MetadataOf } from '../compile/program.ts'
import { located, sorted } from '../compile/program.ts'
import type { ParsedModule } from '../compile/program.ts'
import { split } from '../compile/tree.ts'
import { FaultAt, PolicyError } from '../errors.ts'
import type { Fault } from '../errors.ts'
import type { Limits } from '../limits.ts'
import { jsonKey } from '../json.ts'
import { RegoObject } from '../value.ts'
import type { Value } from '../value.ts'
import { charge } from '../work.ts'
import { readBlocks, type Block } from './blocks.ts'
import { FieldError, readFields } from './fields.ts'

type Scope = 'rule' | 'document' | 'package' | 'subpackages'

/** An annotation, with the statement it applies to. */
interface Annotation {
  readonly block: Block
  readonly scope: Scope
  readonly object: RegoObject
}

interface Statement {
  readonly kind: 'package' | 'import' | 'rule'
  readonly at: number
  readonly rule?: Rule
}

const SCOPES: Readonly<Record<Scope, Statement['kind']>> = {
  rule: 'rule',
  document: 'rule',
  package: 'package',
  subpackages: 'package',
}
const isScope = (scope: string): scope is Scope => Object.hasOwn(SCOPES, scope)

/**
 * The annotations of all modules, for `rego.metadata.rule` and `rego.metadata.chain`. Read only if a module calls one
 * of the two: in any other text a block of comments is just a comment.
 * @throws PolicyError for an invalid block, and for a second annotation of a package or a document
 */
export function readAnnotations(parsed: readonly ParsedModule[], limits: Limits): MetadataOf {
  const set = new AnnotationSet()
  const faults: Fault[] = []
  for (const { source, module } of parsed) {
    const note = (fault: unknown): void => {
      if (!(fault instanceof FaultAt)) throw fault
      faults.push(located(source, fault))
    }
    try {
      const statements = statementsOf(module)
      for (const block of readBlocks(module.comments, source, limits)) {
        const next = statements.find(({ at }) => source.place(at).row > block.row)
        charge(statements.length)
        try {
          set.add(module, next?.rule, annotationOf(block, next))
        } catch (error) {
          note(error)
        }
      }
    } catch (error) {
      note(error)
    }
  }
  if (faults.length > 0) throw new PolicyError(sorted(faults))
  return (builtin, rule, module) =>
    builtin === 'rego.metadata.rule' ? set.primary(rule) : builtin === CHAIN ? set.chain(rule, module) : undefined
}

const CHAIN = 'rego.metadata.chain'

function statementsOf({ packageAt, imports, rules }: Module): Statement[] {
  const statements: Statement[] = [
    { kind: 'package', at: packageAt },
    ...imports.map(({ at }) => ({ kind: 'import' as const, at })),
    ...rules.map((rule) => ({ kind: 'rule' as const, at: rule.at, rule })),
  ]
  return statements.sort((a, b) => a.at - b.at)
}

function annotationOf(block: Block, statement: Statement | undefined): Annotation {
  const fail = (message: string): never => {
    throw new FaultAt('rego_parse_error', message, block.at)
  }
  const { scope: given, entrypoint, members } = fieldsOf(block, fail)
  const implied = { package: 'package', import: 'import', rule: entrypoint ? 'document' : 'rule', none: '' }
  const scope = given === '' ? implied[statement?.kind ?? 'none'] : given
  if (!isScope(scope))
    return fail(`invalid annotation scope '${scope}'. Use one of 'rule', 'document', 'package', or 'subpackages'`)
  if (statement?.kind !== SCOPES[scope])
    fail(`annotation scope '${scope}' must be applied to ${SCOPES[scope]} (have ${statement?.kind ?? 'nothing'})`)
  if (entrypoint && scope !== 'document' && scope !== 'package')
    fail(`annotation entrypoint applied to non-document or package scope '${scope}'`)
  return { block, scope, object: RegoObject.from([['scope', scope], ...members]) }
}

function fieldsOf(block: Block, fail: (message: string) => never): ReturnType<typeof readFields> {
  try {
    return readFields(block.value)
  } catch (error) {
    if (error instanceof FieldError) return fail(error.message)
    throw error
  }
}

const pathOf = ({ package: path }: Module, rule: Rule): Value[] => [
  ...path,
  rule.name.type === 'var' ? rule.name.name : '',
  ...split(rule.path).place,
]
const keyOf = (path: readonly Value[]): string => JSON.stringify(path.map(jsonKey))

class AnnotationSet {
  readonly #rules = new Map<Rule, Annotation[]>()
  readonly #documents = new Map<string, Annotation>()
  readonly #packages = new Map<string, Annotation>()
  readonly #subpackages = new Map<string, Annotation>()

  /** @throws FaultAt rego_type_error for a place that already has an annotation */
  add(module: Module, rule: Rule | undefined, annotation: Annotation): void {
    const { scope } = annotation
    if (scope === 'package') return this.#addOnce(this.#packages, module.package, annotation)
    if (scope === 'subpackages') return this.#addOnce(this.#subpackages, module.package, annotation)
    if (rule === undefined) return
    if (scope === 'document') return this.#addOnce(this.#documents, pathOf(module, rule), annotation)
    this.#rules.set(rule, [annotation, ...(this.#rules.get(rule) ?? [])])
  }

  #addOnce(held: Map<string, Annotation>, path: readonly Value[], annotation: Annotation): void {
    const key = keyOf(path)
    const before = held.get(key)
    if (before !== undefined) {
      const message = `${annotation.scope} annotation redeclared: row ${before.block.row}`
      throw new FaultAt('rego_type_error', message, annotation.block.at)
    }
    held.set(key, annotation)
  }

  /** The annotation directly above the rule; an empty object if there is none. */
  primary(rule: Rule): Value {
    return this.#rules.get(rule)?.[0]?.object ?? RegoObject.EMPTY
  }

  /**
   * From the rule outwards: annotations of the rule, of its document, of its package and of the surrounding packages.
   */
  chain(rule: Rule, module: Module): Value {
    const path = pathOf(module, rule)
    const own = (this.#rules.get(rule) ?? []).map(({ object }) => link(path, object))
    const around = module.package.map((_key, index) => module.package.slice(0, module.package.length - index))
    charge(own.length + around.length)
    return [
      ...(own.length > 0 ? own : [link(path)]),
      ...linkAt(this.#documents, path),
      ...linkAt(this.#packages, module.package),
      ...around.flatMap((outer) => linkAt(this.#subpackages, outer)),
    ]
  }
}

const linkAt = (held: ReadonlyMap<string, Annotation>, path: readonly Value[]): Value[] => {
  const found = held.get(keyOf(path))
  return found === undefined ? [] : [link(path, found.object)]
}

const link = (path: readonly Value[], annotations?: RegoObject): Value =>
  RegoObject.from([['path', [...path]], ...(annotations === undefined ? [] : [['annotations', annotations] as const])])
