import { fieldsOf } from '../../shared/base/json.ts'
import { mapSchemas, type Json } from './schemas.ts'
import { pascal, singular } from './words.ts'

/** A possible name of a schema; among several, the one of the lowest rank is used. */
export interface Wish {
  readonly name: string
  readonly rank: number
}

interface Entry {
  schema: Json
  readonly wishes: Wish[]
  name?: string
}

/** Ours: a nested schema becomes a component when it is this long and occurs twice. */
const WORTH_A_NAME = 150

/** Prefix of references to a schema by its text, until every name is known. */
const MARK = '#schema '

/** The schemas of a description, each once and with a name. Equal schemas are one, wherever they were declared. */
export class Schemas {
  readonly #entries = new Map<string, Entry>()

  /** @returns the placeholder of the schema: a reference that `named` replaces with its name */
  use(schema: Json, ...wishes: readonly Wish[]): Json {
    const text = JSON.stringify(schema)
    const entry = this.#entries.get(text)
    if (entry === undefined) this.#entries.set(text, { schema, wishes: [...wishes] })
    else entry.wishes.push(...wishes)
    return { $ref: MARK + text }
  }

  /**
   * Names every schema. @param whole the rest of the document, with references of `use`
   * @returns the document with names, and the schemas by name
   * @throws Error when two different schemas have only one and the same possible name
   */
  named(whole: Json): { whole: Json; schemas: Json } {
    const names = new Set<string>()
    this.#nameEach(names)
    this.#share(names)
    const schemas = [...this.#entries.values()].map(({ name = '', schema }): [string, Json] => [name, schema])
    const sorted = schemas.sort(([one], [other]) => (one < other ? -1 : 1))
    return { whole: this.#resolved(whole), schemas: this.#resolved(Object.fromEntries(sorted)) }
  }

  #nameEach(names: Set<string>): void {
    const entries = [...this.#entries.values()]
    const wishes = entries.flatMap((entry) => entry.wishes.map((wish) => ({ ...wish, entry })))
    for (const { name, entry } of wishes.toSorted((one, other) => one.rank - other.rank)) {
      if (entry.name !== undefined || names.has(name)) continue
      entry.name = name
      names.add(name)
    }
    const nameless = entries.find(({ name }) => name === undefined)
    if (nameless === undefined) return
    throw new Error(`Another schema is named ${nameless.wishes.map(({ name }) => name).join(' and ')} already`)
  }

  /**
   * Names nested schemas that occur more than once: after the property, else after the property and the schema around
   * it. Where both names are taken, the schema stays inline.
   */
  #share(names: Set<string>): void {
    const found = this.#countBelow()
    const sameName = new Map<string, number>()
    for (const [text, { simple, times }] of found)
      if (times > 1 && !this.#entries.has(text)) sameName.set(simple, (sameName.get(simple) ?? 0) + 1)
    const waiting = [...this.#entries.values()]
    for (let entry = waiting.shift(); entry !== undefined; entry = waiting.shift()) {
      const owner = entry.name ?? ''
      const below = (schema: Json, holder: string): Json => {
        const text = JSON.stringify(schema)
        const { times = 0, simple = '' } = found.get(text) ?? {}
        if (this.#entries.has(text)) return { $ref: MARK + text }
        const name = [...(sameName.get(simple) === 1 ? [simple] : []), owner + simple].find((one) => !names.has(one))
        if (times < 2 || name === undefined) return mapSchemas(schema, (one, inner) => below(one, held(holder, inner)))
        names.add(name)
        const made = { schema, wishes: [], name }
        this.#entries.set(text, made)
        waiting.push(made)
        return { $ref: MARK + text }
      }
      entry.schema = mapSchemas(entry.schema, (schema, holder) => below(schema, held('', holder)))
    }
  }

  /** How often each nested schema occurs, counted once per equal parent, and the name of its holder. */
  #countBelow(): Map<string, { times: number; simple: string }> {
    const found = new Map<string, { times: number; simple: string }>()
    const count = (schema: Json, holder: string): Json => {
      const text = JSON.stringify(schema)
      const known = found.get(text)
      if (known !== undefined) known.times++
      else {
        if (text.length >= WORTH_A_NAME) found.set(text, { times: 1, simple: nameOf(holder) })
        if (!this.#entries.has(text)) mapSchemas(schema, (one, inner) => count(one, held(holder, inner)))
      }
      return schema
    }
    for (const { schema } of this.#entries.values()) mapSchemas(schema, (one, inner) => count(one, held('', inner)))
    return found
  }

  #resolved(value: Json): Json {
    const resolved = (one: unknown): unknown => {
      if (Array.isArray(one)) return one.map(resolved)
      if (typeof one !== 'object' || one === null) return one
      const { $ref } = fieldsOf(one)
      if (typeof $ref === 'string' && $ref.startsWith(MARK)) {
        const { name = '' } = this.#entries.get($ref.slice(MARK.length)) ?? {}
        return { $ref: `#/components/schemas/${name}` }
      }
      return Object.fromEntries(Object.entries(one).map(([member, below]) => [member, resolved(below)]))
    }
    return fieldsOf(resolved(value))
  }
}

const KEYWORDS: readonly string[] = ['items', 'anyOf', 'oneOf', 'allOf', 'additionalProperties']

/** The holder of a schema: the property, or an item of the property. */
const held = (outer: string, inner: string): string =>
  inner === 'items' ? `${outer} item` : KEYWORDS.includes(inner) ? outer : inner

const nameOf = (holder: string): string =>
  holder.endsWith(' item') ? singular(pascal(holder.slice(0, -' item'.length))) : pascal(holder)
