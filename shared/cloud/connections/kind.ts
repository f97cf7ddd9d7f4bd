import { Refusal } from '../../base/errors.ts'
import type { Rule } from '../../http/rules.ts'
import type { KeyObject } from 'node:crypto'
import type * as z from 'zod'
import type { CATEGORIES, ChangedOfConnection, GivenOfConnection } from './bodies.ts'

/** Secrets of a connection by name; they are never shown. */
export type Secrets = Readonly<Record<string, string>>

/** A kind's own part of a record: the shown fields, and the sealed ones. */
export interface Own<Fields> {
  readonly fields: Fields
  /** absent in an update: unchanged; `null`: removed */
  readonly secrets?: Secrets | null
  /** a further secret, which is not in the body but stored with a certificate request */
  readonly requested?: RequestedSecret
}

/** The private key of a certificate that was issued for one of keymgr's requests; it is stored with the request. */
export interface RequestedSecret {
  /** its name among the secrets */
  readonly name: string
  /** public key of the certificate */
  readonly publicKey: KeyObject
  /** the secret's own field, for a refusal */
  readonly pointer: string
}

/** The circumstances of reading a body. */
export interface Taken {
  readonly domain: string
  readonly now: Date
  /** a test without storing: generating credentials for it would be useless */
  readonly isTest: boolean
}

/** Bodies of one kind of connection. */
export interface ConnectionBodies {
  readonly unsaved: z.ZodType<GivenOfConnection>
  readonly create: z.ZodType<GivenOfConnection & { readonly name: string }>
  readonly update: z.ZodType<ChangedOfConnection>
}

export interface ConnectionKind<Fields extends object, Unsaved, Update> {
  readonly bodies: ConnectionBodies
  /** category of its connections; default `cloud` */
  readonly category?: (typeof CATEGORIES)[number]
  /** a connection as shown; `service` discriminates between the kinds */
  readonly shown: z.ZodObject<{ service: z.ZodLiteral<string> }>
  /** Rules between the fields of a body. */
  readonly rules: readonly Rule[]
  /** The kind's own part of any record. */
  fieldsOf(record: Fields): Fields
  /** @throws Refusal NOT_SUPPORTED, RULE_BROKEN */
  made(taken: Taken, body: Unsaved): Own<Fields> | Promise<Own<Fields>>
  /**
   * The fields after a change: absent fields stay, `null` removes.
   * @param hasSecrets whether the record has secrets before
   * @throws Refusal NOT_SUPPORTED, RULE_BROKEN with every broken rule
   */
  changed(taken: Taken, before: Fields, body: Update, hasSecrets: boolean): Own<Fields> | Promise<Own<Fields>>
  /**
   * The fields that decide how the cloud is accessed, without secrets; a different value in any of them means different
   * access.
   */
  entryOf(fields: Fields): object
  /**
   * Exchanges new secrets at the cloud for those to store, where the cloud accepts the given ones only once. Called once
   * a request, when nothing can refuse it without a call any more.
   * @throws Refusal of the cloud
   */
  exchanged?(fields: Fields, secrets: Secrets, budget: AbortSignal): Promise<Secrets>
  /** Calls the cloud, always as for a new connection. @param key unique cache key */
  test(fields: Fields, secrets: Secrets, key: string, budget: AbortSignal): Promise<void>
  /** Fields in audit records. */
  readonly audited: readonly string[]
}

/** Any row: each only receives its own fields and bodies. */
export type AnyConnectionKind = ConnectionKind<object, object, object>

/** Checks the rules against a record as a change would leave it. @throws Refusal RULE_BROKEN with every broken rule */
export function assertRules(rules: readonly Rule[], record: Readonly<Record<string, unknown>>): void {
  const errors = rules
    .filter(({ broken }) => broken(record) !== false)
    .map(({ field, message }) => ({ pointer: `#/${field}`, detail: message }))
  if (errors.length === 0) return
  throw new Refusal('RULE_BROKEN', `${errors.map(({ detail }) => detail).join('; ')}.`, { errors })
}
