import type { Refusal } from '../base/errors.ts'
import type { Context } from '../http/context.ts'
import type { Entity, Stored } from '../store/entity.ts'

/** The caller, and the time of the call. */
export type Reader = Pick<Context, 'caller' | 'now'>

/**
 * One kind of records that users create, read, change and delete: `T` in the table, `R` in list rows, `S` in answers.
 */
export interface Kind<T extends object, R extends object, S> {
  /** as in "There is no such …" */
  readonly noun: string
  readonly entity: Entity<T, R>
  /** `uri` of the record with this id */
  readonly uri: (domain: string, id: string) => string
  /** The domain that all records belong to; default the caller's. */
  readonly domain?: string
  /**
   * Finds a record by the reference in a path; default by id. A record in answers that is not stored has revision 0.
   */
  readonly find?: (context: Reader, reference: string) => Promise<Stored<T> | undefined>
  /** Fields whose changes audit records contain, or a view with them. No secrets. */
  readonly audited: readonly (keyof T & string)[] | ((record: T) => Readonly<Record<string, unknown>>)
  /** An encrypted field, and its name in audit records, which only state that it changed. */
  readonly sealed?: { readonly field: keyof T & string; readonly as: string }
  /** Name of a record in audit records; default its field `name`. */
  readonly nameOf?: (record: T) => string
  /** Field with the time of the last change; default `updatedAt`. */
  readonly touched?: keyof T & string
  /** Fields of a body with unique values, by kind of value; default `#/name` for `name`. */
  readonly pointers?: Readonly<Record<string, string>>
  /** The refusal when another record has a unique value, if the usual one is not suitable. */
  readonly taken?: (value: string) => Refusal
  /** A record in answers; default: as stored. */
  readonly present?: (record: T, reader: Reader) => S
  /** The same for a page of records, if it needs further reads. */
  readonly presentAll?: (records: readonly T[], reader: Reader) => Promise<readonly S[]>
  /** Called after the commit of a change in the domain. */
  readonly changed?: (domain: string) => void
}
