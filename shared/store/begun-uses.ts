import { itemKey, type Key, type UsedItem } from './layout.ts'
import type { Write } from './table.ts'

interface BegunUse {
  readonly key: Key
  isRequired: boolean
  /** assumption of the next attempt */
  isAbsent: boolean
}

/** A write of a begun use. One that is not required may fail: then the next attempt makes another write. */
export interface PlannedUse {
  readonly write: Write
  readonly isRequired: boolean
}

const ONE = { ':use': { N: '1' } }
const placeOf = ({ pk, sk }: Key): string => `${pk} ${sk}`

const keyOf = (write: Write): string => {
  if ('put' in write) return `${write.put.pk?.S ?? ''} ${write.put.sk?.S ?? ''}`
  return placeOf('update' in write ? write.update : 'remove' in write ? write.remove : write.check)
}

/** A condition on an item that also changes its revision. */
const counted = ({ check, condition, names, values }: Extract<Write, { check: Key }>): Write => ({
  ...{ update: check, expression: 'ADD rev :use', condition, values: { ...values, ...ONE } },
  ...(names && { names }),
})

/**
 * The items whose use begins in a transaction. Each gets a new revision, once, whatever its present one, so that uses do
 * not exclude each other. The end of an item is conditional on its revision: if it commits first, a required use fails;
 * otherwise the end fails, and finds the use when it runs again.
 */
export class BegunUses {
  readonly #uses = new Map<string, BegunUse>()

  add(domain: string, { entity, id, required }: UsedItem): void {
    const key = itemKey(domain, entity, id)
    const known = this.#uses.get(placeOf(key))
    if (known) known.isRequired ||= required === true
    else this.#uses.set(placeOf(key), { key, isRequired: required === true, isAbsent: false })
  }

  /** A write of the same transaction, which may be on a used item: a table takes one write per item. */
  joined(write: Write): Write {
    return 'check' in write && this.#uses.has(keyOf(write)) ? counted(write) : write
  }

  /** The writes of the uses whose item no other write of the transaction changes. */
  writes(others: readonly Write[]): PlannedUse[] {
    if (this.#uses.size === 0) return []
    const written = new Set(others.map(keyOf))
    return [...this.#uses].filter(([place]) => !written.has(place)).map(([, use]) => planned(use))
  }

  /** Called when a write of a use that is not required has failed: its item was deleted, or exists again. */
  refused(write: Write): void {
    const use = this.#uses.get(keyOf(write))
    if (use) use.isAbsent = !use.isAbsent
  }
}

/** Ours: a record may return to its cloud after its local key was deleted, so that its use needs no item. */
const planned = ({ key, isRequired, isAbsent }: BegunUse): PlannedUse => ({
  isRequired,
  write:
    isAbsent && !isRequired
      ? { check: key, condition: 'attribute_not_exists(pk)' }
      : counted({ check: key, condition: 'attribute_exists(pk)' }),
})
