import type { KeyObject } from 'node:crypto'
import { Refusal } from '../../base/errors.ts'
import type { Load } from '../../base/room.ts'
import type { Context } from '../../http/context.ts'
import type { Entity } from '../../store/entity.ts'
import { idsAfter } from '../../store/list.ts'
import { mayRead } from '../keys/lifecycle/key-users.ts'
import type { StoredLocalKey } from '../keys/store.ts'

declare module '../../base/room.ts' {
  interface RoomRow {
    /** Recognizes the ciphertexts that it makes. */
    readonly inspect?: Load<Inspector>
  }
}

/** A ciphertext in the parts that protocols return. A part is absent unless the caller sent it, as base64. */
export interface Parts {
  /** `ciphertext`, as sent */
  readonly text: string
  /** the same decoded; empty for text that is not base64 */
  readonly bytes: Buffer
  readonly iv: Buffer | undefined
  readonly tag: Buffer | undefined
  readonly metadata: Buffer | undefined
  /** additional data that the caller of the protocol bound to the ciphertext */
  readonly aad: Buffer | undefined
}

/** Recognizes one form of ciphertext. A room contributes it beside the code that seals. */
export interface Inspector {
  /** as in answers, such as `wrapped blob` */
  readonly kind: string
  /** Whether the parts have this form. Reads only the header. @param key as in `Search` */
  readonly hasForm: (parts: Parts, key?: string) => boolean
  /** Keys of the caller's domain that can have made the parts, a page at a time. */
  readonly makers: (search: Search) => AsyncIterable<readonly Maker[]>
}

export interface Search {
  readonly context: Pick<Context, 'caller' | 'uses' | 'now'>
  readonly parts: Parts
  /** id or name of the only endpoint to search */
  readonly endpoint: string | undefined
  /** id or name of the only local key to search */
  readonly key: string | undefined
}

/** A record as an answer names it. */
export interface Named {
  /** as in messages, such as `key store` */
  readonly kind: string
  readonly id: string
  readonly name: string
  readonly uri: string
}

/** Those who may open a ciphertext, such as 2 of the kind `service account`. */
export interface Openers {
  readonly kind: string
  readonly names: readonly string[]
}

/** One version of a local key that can have made a ciphertext. */
export interface Maker {
  readonly endpoint: Named
  /** the cloud's key, where an endpoint has many */
  readonly key?: Named
  /** its version of a local key, by id or by the number in the ciphertext */
  readonly local: { readonly id: string } | { readonly name: string; readonly version: number }
  /** usage bit that opening needs; absent where the usage mask does not decide */
  readonly usage?: number
  /** whether the header of the parts names this version: without proof, it is still an answer about a named endpoint */
  readonly isInHeader: boolean
  /** whether the material made the parts; `undefined` while that cannot be decided, such as without additional data */
  readonly proves: (material: KeyObject, version: StoredLocalKey) => boolean | undefined
  /** Why the endpoint opens nothing of this version now; empty if it does. */
  readonly obstacles: (version: StoredLocalKey) => readonly string[] | Promise<readonly string[]>
  /** Callers who may ask the endpoint to open it, if no obstacle exists. */
  readonly openers: () => readonly Openers[] | Promise<readonly Openers[]>
}

/** Whether bytes open. The plaintext is zeroed at once. */
export function opens(open: () => Buffer | readonly Buffer[]): boolean {
  try {
    const clear = open()
    for (const part of Array.isArray(clear) ? clear : [clear]) (part as Buffer).fill(0)
    return true
  } catch (error) {
    if (error instanceof Refusal && error.reason === 'CIPHERTEXT_INVALID') return false
    throw error
  }
}

/** Whether the material is an AES-256 key. */
export const isAes256 = ({ type, symmetricKeySize }: KeyObject): boolean => type === 'secret' && symmetricKeySize === 32

/**
 * Decides about a ciphertext with optional additional data: without the data, a failure decides nothing.
 * @param open opens with the data, or with none
 */
export const opensWithData = (
  material: KeyObject,
  { aad }: Parts,
  open: (aad: Buffer) => Buffer,
): boolean | undefined => {
  if (!isAes256(material)) return false
  return opens(() => open(aad ?? NOTHING)) || (aad === undefined ? undefined : false)
}
const NOTHING = Buffer.alloc(0)

/** A policy among the openers, by its hash: the text belongs to its owner. */
export const byPolicy = (kind: string, hash: string | undefined): Openers[] =>
  hash === undefined ? [] : [{ kind, names: [hash] }]

const PAGE = 100

/** Records of a set, a page at a time, as far as they are intact. */
export async function* setIn<T, R>(entity: Entity<T, R>, domain: string, set: string): AsyncGenerator<readonly T[]> {
  for (let after: string | undefined, isLeft = true; isLeft;) {
    const ids = await idsAfter(entity, domain, set, after, PAGE)
    const stored = await entity.getMany(domain, ids, 'leave out')
    yield stored.map(({ item }) => item)
    after = ids.at(-1)
    isLeft = ids.length === PAGE
  }
}

/** Ids of the records with a name. */
type NamedIds = (domain: string, name: string) => Promise<readonly string[]>

/**
 * Records of a kind that the caller may read, a page at a time; with a reference, only those of that id or name.
 * @param action of policies that reads such a record @param named default: the one with the unique value `name`
 */
export async function* recordsIn<T extends { readonly uri: string }, R>(
  entity: Entity<T, R>,
  { context, endpoint: reference }: Search,
  action: string,
  named: NamedIds = async (domain, name) => {
    const id = await entity.holder(domain, 'name', name)
    return id === undefined ? [] : [id]
  },
): AsyncGenerator<readonly T[]> {
  const domain = context.caller.domain.id
  const seen = (records: readonly T[]): T[] => records.filter((record) => mayRead(context, action, record))
  if (reference === undefined) {
    for await (const records of setIn(entity, domain, 'all')) yield seen(records)
    return
  }
  const stored = await entity.getMany(domain, [reference, ...(await named(domain, reference))], 'leave out')
  yield seen(stored.map(({ item }) => item))
}

/** Members of a family, a page at a time, as far as they are intact. */
export async function* membersIn<T, R>(
  entity: Entity<T, R>,
  domain: string,
  family: string,
): AsyncGenerator<readonly T[]> {
  for (let after: string | undefined, isLeft = true; isLeft;) {
    const members = await entity.membersAfter(domain, family, after, PAGE)
    const stored = await entity.getMany(
      domain,
      members.map(({ id }) => id),
      'leave out',
    )
    yield stored.map(({ item }) => item)
    after = members.at(-1)?.key
    isLeft = members.length === PAGE
  }
}
