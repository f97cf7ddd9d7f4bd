import type * as z from 'zod'
import type { ChangedOfConnection, GivenOfConnection } from './bodies.ts'
import type { Rule } from '../../http/rules.ts'
import { Refusal } from '../../base/errors.ts'

/** What must not be shown of a connection, by name. */
export type Secrets = Readonly<Record<string, string>>

/** A kind's own part of a record: the fields that are shown, and what is sealed. */
export interface Own<Fields> {
  readonly fields: Fields
  /** absent: as before, in a change; `null`: none */
  readonly secrets?: Secrets | null
}

/** What one kind of connection knows of its own fields. */
/** Bodies of one kind of connection. */
export interface ConnectionBodies {
  readonly unsaved: z.ZodType<GivenOfConnection>
  readonly create: z.ZodType<GivenOfConnection & { readonly name: string }>
  readonly update: z.ZodType<ChangedOfConnection>
}

export interface ConnectionKind<Fields extends object, Unsaved, Update> {
  readonly bodies: ConnectionBodies
  /** a connection as shown; told from others by `service` */
  readonly shown: z.ZodObject<{ service: z.ZodLiteral<string> }>
  /** Rules between the fields of a body. */
  readonly rules: readonly Rule[]
  /** The kind's own part of any record. */
  fieldsOf(record: Fields): Fields
  /** @throws Refusal NOT_SUPPORTED, RULE_BROKEN */
  made(domain: string, body: Unsaved): Own<Fields>
  /**
   * As a change leaves it: only what is present changes, `null` clears.
   * @param hasSecrets whether the record has any before
   * @throws Refusal NOT_SUPPORTED, RULE_BROKEN with every broken rule
   */
  changed(domain: string, before: Fields, body: Update, hasSecrets: boolean): Own<Fields>
  /** The fields by which the cloud is entered, without secrets; another value in one of them is another way in. */
  entryOf(fields: Fields): object
  /** Asks the cloud, always as a connection never seen before. @param key tells it from every other */
  test(fields: Fields, secrets: Secrets, key: string, budget: AbortSignal): Promise<void>
  /** Fields that audit records tell of. */
  readonly audited: readonly string[]
}

/** Any row: each is only ever handed its own fields and bodies. */
export type AnyConnectionKind = ConnectionKind<object, object, object>

/** Holds rules against a record as a change would leave it. @throws Refusal RULE_BROKEN with every broken rule */
export function assertRules(rules: readonly Rule[], record: Readonly<Record<string, unknown>>): void {
  const errors = rules
    .filter(({ broken }) => broken(record) !== false)
    .map(({ field, message }) => ({ pointer: `#/${field}`, detail: message }))
  if (errors.length === 0) return
  throw new Refusal('RULE_BROKEN', `${errors.map(({ detail }) => detail).join('; ')}.`, { errors })
}
