import type { Call } from '../calls.ts'
import type { AddWay } from '../clouds/row.ts'
import type { Action } from '../forms/actions.tsx'
import type { FieldRow } from '../forms/fields.ts'
import type { FilterRow } from '../list/filters.tsx'
import type { PageOf } from '../list/rows.ts'
import type { AttributeRow } from '../words/attributes.tsx'
import type { Tone } from '../words/states.tsx'

/** An endpoint as lists and titles show it. */
export interface EndpointSummary {
  readonly id: string
  readonly uri: string
  readonly name: string
  readonly state: string
  readonly tone: Tone
  /** where callers reach it */
  readonly address: string
  readonly key: string
  readonly createdAt: string
  /** on its way to another state */
  readonly isMoving?: boolean
}

/** A policy as it decides. */
export interface PolicyText {
  readonly rego: string
  /** made from simple rules, which are changed in another way */
  readonly isDerived: boolean
}

/** Past calls of an endpoint, on which a policy can be tried. */
export interface PastCalls<E> {
  /** decides those of the last days again, by a text or by the policy as it is */
  replay(endpoint: E, rego: string | undefined, days: number): Call
}

/** The policy of an endpoint, in Rego. */
export interface PolicyRow<E> {
  readonly title: string
  readonly about: string
  load(endpoint: E, signal: AbortSignal): Promise<PolicyText>
  save(endpoint: E, rego: string, now: PolicyText): Call
  /** tries a text without storing it, or without a text the policy as it is; its answer is a `Decision` */
  test(endpoint: E, rego: string | undefined, input: unknown): Call
  readonly past?: PastCalls<E>
  /** members of the input, named from `input/` on */
  readonly input: readonly FieldRow[]
  readonly example: unknown
}

export interface Decision {
  readonly allowed: boolean
  readonly decided_by: { readonly rule: string; readonly line?: number }
  readonly error?: { readonly code: string }
}

type Query = Readonly<Record<string, unknown>>

/** A protocol by which others use keys that stay here: all that the console knows of its endpoints. For the methods, see `CloudRow`. */
export interface ProtocolRow<E = unknown> {
  /** in addresses of the console */
  readonly name: string
  readonly title: string
  /** an endpoint, in the singular */
  readonly noun: string
  /** who calls it, in a sentence */
  readonly about: string
  readonly list: (query: Query, signal: AbortSignal) => Promise<PageOf<E>>
  readonly get: (id: string, signal: AbortSignal) => Promise<E>
  summary(endpoint: E): EndpointSummary
  attributes(endpoint: E): readonly AttributeRow[]
  readonly filters: readonly FilterRow[]
  /** an action named `delete` ends with the list */
  readonly actions: readonly Action<E>[]
  readonly add: AddWay
  /** secrets of an answer, which are shown once */
  readonly secrets?: (answer: unknown) => readonly AttributeRow[]
  readonly policy?: PolicyRow<E>
}
