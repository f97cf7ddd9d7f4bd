import { mapSchemas, type Json } from './schemas.ts'
import { pascal, singular } from './words.ts'

/** A name that a schema may get; of several, the one of the lowest rank. */
export interface Wish {
  readonly name: string
  readonly rank: number
}

interface Entry {
  schema: Json
  readonly wishes: Wish[]
  name?: string
}

/** Ours: a schema below another gets a name of its own when it is this long and found twice. */
const WORTH_A_NAME = 150

/** What refers to the schema with this text, until every name is known. */
const MARK = '#schema '

/**
 * The schemas of a description, each once and under a name. Equal schemas are one, whatever declared them.
 */
export class Schemas {
  readonly #entries = new Map<string, Entry>()

  /** @returns what stands for the schema: a reference that gets its name with `named` */
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
   * @throws Error when two different schemas wish for one name and have no other
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
   * Gives names to schemas below others that are found more than once: of the property, or else with that of the schema around
   * it. Where both are taken the schema stays where it is.
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

  /** How often each schema below another is found, counted once in equal ones, and the name of what holds it. */
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
      const { $ref } = one as { $ref?: unknown }
      if (typeof $ref === 'string' && $ref.startsWith(MARK)) {
        const { name = '' } = this.#entries.get($ref.slice(MARK.length)) ?? {}
        return { $ref: `#/components/schemas/${name}` }
      }
      return Object.fromEntries(Object.entries(one).map(([member, below]) => [member, resolved(below)]))
    }
    return resolved(value) as Json
  }
}

const KEYWORDS: readonly string[] = ['items', 'anyOf', 'oneOf', 'allOf', 'additionalProperties']

/** What holds a schema: the property, and within it whether it is one of its items. */
const held = (outer: string, inner: string): string =>
  inner === 'items' ? `${outer} item` : KEYWORDS.includes(inner) ? outer : inner

const nameOf = (holder: string): string =>
  holder.endsWith(' item') ? singular(pascal(holder.slice(0, -' item'.length))) : pascal(holder)
